public import FoundationEssentials

/// One attribute of a receipt or of a purchase in it: `SEQUENCE { type, version, value OCTET STRING }`.
public struct ReceiptAttribute: Sendable {
    /// What it is.
    public var type: Int64
    /// 1, but for the opaque value.
    public var version: Int64
    /// What stands in the octet string.
    public var value: [UInt8]

    /// An attribute with any bytes as its value.
    public init(_ type: Int64, version: Int64 = 1, bytes value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }

    /// A `UTF8String`, as in ids and versions.
    public static func text(_ type: Int64, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type, bytes: DERWriter.utf8(text))
    }

    /// An `IA5String`, as in dates and the age rating.
    public static func ascii(_ type: Int64, _ text: String) -> ReceiptAttribute {
        ReceiptAttribute(type, bytes: DERWriter.ia5(text))
    }

    /// A date as Apple writes it; the empty text for none.
    public static func date(_ type: Int64, _ date: Date?) -> ReceiptAttribute {
        ascii(type, date?.formatted(.iso8601) ?? "")
    }

    /// An `INTEGER`.
    public static func integer(_ type: Int64, _ value: Int64) -> ReceiptAttribute {
        ReceiptAttribute(type, bytes: DERWriter.integer(value))
    }

    var encoded: [UInt8] {
        DERWriter.sequence(DERWriter.integer(type), DERWriter.integer(version), DERWriter.octets(value))
    }
}

/// Changes to attributes, so that each fault can be asked for.
public struct ReceiptChanges: Sendable {
    /// Types that are left out.
    public var missing: Set<Int64> = []
    /// Put in as they are, beside those that are there: another of the same type is a duplicate.
    public var extra: [ReceiptAttribute] = []
    /// In the order in which they come, and not in that of DER.
    public var isUnsorted = false

    /// No change.
    public init() {}

    /// Takes the place of all attributes of its type.
    public mutating func replace(with attribute: ReceiptAttribute) {
        missing.insert(attribute.type)
        extra.append(attribute)
    }

    func set(of attributes: [ReceiptAttribute]) -> [UInt8] {
        let kept = attributes.filter { !missing.contains($0.type) } + extra
        return DERWriter.set(of: kept.map(\.encoded), isSorted: !isUnsorted)
    }
}
