/// A queue in an array: taking from the front costs as little as adding at the back.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }
    var isEmpty: Bool { head == elements.count }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1024)
            head = 0
        } else if head >= 1024, head * 2 >= elements.count {
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    /// Puts elements in front of all others, in their order.
    mutating func prepend(_ more: [Element]) {
        elements = more.map { $0 } + elements[head...]
        head = 0
    }

    /// Everything, in order; leaves nothing.
    mutating func takeAll() -> [Element] {
        let all = elements[head...].compactMap { $0 }
        elements = []
        head = 0
        return all
    }

    /// Keeps what `isKept` says, in order.
    mutating func filter(_ isKept: (Element) -> Bool) {
        elements = elements[head...].filter { $0.map(isKept) ?? false }
        head = 0
    }

    /// The element at a place from the front; the place has to exist.
    subscript(place: Int) -> Element? {
        get { elements[head + place] }
        set { elements[head + place] = newValue }
    }
}
