internal import FoundationEssentials

/// The attributes of a receipt or of a purchase in it, one after the other:
/// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
///
/// A value is only looked into by whoever knows its type: others are any bytes, some of them like nested ASN.1 that is
/// none.
struct ReceiptAttributes {
    private var set: DERReader

    /// Those of a receipt.
    ///
    /// - Parameter payload: A set, or an octet string with one in it, as some versions of Xcode write it.
    init(payload: [UInt8]) throws(DERError) {
        var reader = DERReader(payload)
        if payload.first == 0x04 {
            let wrapped = try reader.octets()
            try reader.finish()
            reader = try reader.within(wrapped)
        }
        set = try reader.enter(.set)
        try reader.finish()
    }

    /// Those of a purchase, which are the value of an attribute.
    init(_ attribute: Attribute) throws(DERError) {
        var reader = try attribute.reader.within(attribute.value)
        set = try reader.enter(.set)
        try reader.finish()
    }

    /// The next attribute; `nil` after the last.
    mutating func next() throws(DERError) -> Attribute? {
        guard !set.isAtEnd else { return nil }
        var fields = try set.enter(.sequence)
        let type = try fields.integer()
        _ = try fields.integer()
        return Attribute(type: type, value: try fields.octets(), reader: fields)
    }

    /// One attribute.
    struct Attribute {
        let type: Int64
        /// Where its value is.
        let value: Range<Int>
        fileprivate let reader: DERReader

        /// The value as it stands there.
        var bytes: [UInt8] { Array(reader.bytes[value]) }

        /// A value that is a number of up to 64 bits.
        func integer() throws(DERError) -> Int64 {
            var reader = try reader.within(value)
            let number = try reader.integer()
            try reader.finish()
            return number
        }

        /// A value that is a text, of whichever type.
        func text() throws(DERError) -> String {
            var reader = try reader.within(value)
            let element = try reader.next()
            try reader.finish()
            return try reader.text(element)
        }

        /// A value that is the text of a date; `nil` for the empty text, which stands for none.
        func date() throws -> Date? {
            let text = try dateText()
            guard !text.isEmpty else { return nil }
            guard let date = InternetDate.date(text) else {
                throw Shortfall.malformed("attribute \(type) of the receipt is no date")
            }
            return date
        }

        /// As ``date()``, but a text that is no date is none.
        func lenientDate() throws(DERError) -> Date? { InternetDate.date(try dateText()) }

        /// Whether the text in the place of a date is the empty one, which stands for none.
        var isEmptyDate: Bool { get throws(DERError) { try dateText().isEmpty } }

        private func dateText() throws(DERError) -> ArraySlice<UInt8> {
            var reader = try reader.within(value)
            let element = try reader.next()
            try reader.finish()
            return try reader.textBytes(element)
        }
    }
}
