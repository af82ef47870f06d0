// The few types of value that receipts and containers are made of.

extension DERReader {
    /// A number of up to 64 bits, leading bytes that say nothing included.
    package mutating func integer() throws(DERError) -> Int64 { try integer(next(.integer)) }

    /// The number in an element.
    package func integer(_ element: DERElement) throws(DERError) -> Int64 {
        let digits = element.contents
        guard !digits.isEmpty, !element.isConstructed else {
            throw DERError(fault: .badInteger, offset: element.range.lowerBound)
        }
        var value: Int64 = bytes[digits.lowerBound] & 0x80 == 0 ? 0 : -1
        for index in digits {
            // What is shifted out at the top has to be the sign, and nothing else.
            guard (value << 8) >> 8 == value else {
                throw DERError(fault: .badInteger, offset: element.range.lowerBound)
            }
            value = value << 8 | Int64(bytes[index])
        }
        return value
    }

    /// An object identifier, as its bytes: they are compared, never shown.
    package mutating func objectIdentifier() throws(DERError) -> ArraySlice<UInt8> {
        bytes[try next(.objectIdentifier).contents]
    }

    /// Where the bytes of a string in one piece are.
    package mutating func octets() throws(DERError) -> Range<Int> {
        let element = try next(.octetString)
        guard !element.isConstructed else { throw DERError(fault: .notDER, offset: element.range.lowerBound) }
        return element.contents
    }

    /// The bytes of a string that may be in segments (X.690 § 8.7.3), put together.
    package func joinedOctets(_ element: DERElement) throws(DERError) -> [UInt8] {
        guard element.isConstructed, rules == .ber else {
            guard !element.isConstructed else { throw DERError(fault: .notDER, offset: element.range.lowerBound) }
            return Array(bytes[element.contents])
        }
        var joined: [UInt8] = []
        joined.reserveCapacity(element.contents.count)
        try join(element, onto: &joined)
        return joined
    }

    private func join(_ element: DERElement, onto joined: inout [UInt8]) throws(DERError) {
        guard element.isConstructed else { return joined.append(contentsOf: bytes[element.contents]) }
        var segments = try inside(element)
        while !segments.isAtEnd {
            let segment = try segments.next(.octetString)
            try segments.join(segment, onto: &joined)
        }
    }

    /// A text in any of the types that receipts have been seen or may be expected to use.
    package func text(_ element: DERElement) throws(DERError) -> String {
        guard let text = String(validating: try textBytes(element), as: UTF8.self) else {
            throw DERError(fault: .badText, offset: element.range.lowerBound)
        }
        return text
    }

    /// The bytes of such a text; that they are UTF-8 has not been looked at.
    package func textBytes(_ element: DERElement) throws(DERError) -> ArraySlice<UInt8> {
        let isText = element.tag == .utf8String || element.tag == .ia5String || element.tag == .printableString
        guard isText, !element.isConstructed else {
            throw DERError(fault: .unexpected(.utf8String, instead: element.tag), offset: element.range.lowerBound)
        }
        let contents = bytes[element.contents]
        guard element.tag == .utf8String || contents.allSatisfy({ $0 < 0x80 }) else {
            throw DERError(fault: .badText, offset: element.range.lowerBound)
        }
        return contents
    }
}
