/// The place of an element in an array, or the name that `superEncoder` takes.
struct JSONKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) { self.init(index: intValue) }

    static let `super` = JSONKey(stringValue: "super")
}
