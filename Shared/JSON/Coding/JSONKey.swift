/// The place of an element in an array, or the name that `superEncoder` takes.
struct JSONKey: CodingKey {
    private let name: String?
    let intValue: Int?

    /// Written when it is asked for: there is one for each element, and errors alone tell of them.
    var stringValue: String { name ?? "Index \(intValue ?? 0)" }

    init(index: Int) {
        name = nil
        intValue = index
    }

    init(stringValue: String) {
        name = stringValue
        intValue = nil
    }

    init(intValue: Int) { self.init(index: intValue) }

    static let `super` = JSONKey(stringValue: "super")
}
