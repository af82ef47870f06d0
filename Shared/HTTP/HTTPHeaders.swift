/// Header fields in the order in which they came. Names compare without case (RFC 9110 § 5.1).
public struct HTTPHeaders: Sendable {
    /// One field; its name as it was written.
    public typealias Field = (name: String, value: String)

    /// All fields, repeated names included.
    public private(set) var fields: [Field]

    /// Fields in this order.
    public init(_ fields: [Field] = []) { self.fields = fields }

    /// The first field of this name; setting replaces all of them, setting `nil` removes them.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.equalsIgnoringASCIICase(name) }?.value }
        set {
            fields.removeAll { $0.name.equalsIgnoringASCIICase(name) }
            if let newValue { fields.append((name, newValue)) }
        }
    }

    /// The values of all fields of this name.
    public func all(_ name: String) -> [String] {
        fields.filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
    }

    /// Adds a field beside others of the same name.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    /// Fields in the order of the literal; a name may be there twice.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { (name: $0.0, value: $0.1) }
    }
}

extension HTTPHeaders: Equatable {
    /// Same fields in the same order; names compare without case.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0.name.equalsIgnoringASCIICase($1.name) && $0.value == $1.value }
    }
}

extension String {
    /// Compares byte by byte; only A–Z and a–z are taken for equal.
    func equalsIgnoringASCIICase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
    }
}

extension UInt8 {
    fileprivate var asciiLowercased: UInt8 { self &- 65 < 26 ? self | 0x20 : self }
}
