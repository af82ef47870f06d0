/// What an element is: class and number of its tag (X.690 § 8.1.2). Whether it is constructed is told apart.
package struct DERTag: Hashable, Sendable {
    /// The two bits of the class: 0 universal, 2 context-specific.
    package let tagClass: UInt8
    package let number: UInt8

    package static let boolean = universal(1)
    package static let integer = universal(2)
    package static let bitString = universal(3)
    package static let octetString = universal(4)
    package static let null = universal(5)
    package static let objectIdentifier = universal(6)
    package static let utf8String = universal(12)
    package static let sequence = universal(16)
    package static let set = universal(17)
    package static let printableString = universal(19)
    package static let ia5String = universal(22)
    package static let utcTime = universal(23)

    /// `[number]` in a definition.
    package static func context(_ number: UInt8) -> DERTag { DERTag(tagClass: 2, number: number) }

    private static func universal(_ number: UInt8) -> DERTag { DERTag(tagClass: 0, number: number) }
}

extension DERTag: CustomStringConvertible {
    /// For error messages.
    package var description: String {
        switch self {
        case .boolean: "BOOLEAN"
        case .integer: "INTEGER"
        case .bitString: "BIT STRING"
        case .octetString: "OCTET STRING"
        case .null: "NULL"
        case .objectIdentifier: "OBJECT IDENTIFIER"
        case .utf8String: "UTF8String"
        case .sequence: "SEQUENCE"
        case .set: "SET"
        case .printableString: "PrintableString"
        case .ia5String: "IA5String"
        case .utcTime: "UTCTime"
        default: tagClass == 2 ? "[\(number)]" : "tag \(tagClass << 6 | number)"
        }
    }
}
