/// Reads the elements that follow one another in a range of bytes, in DER or BER (X.690 § 8, § 10).
///
/// Each element is bounds-checked, none is copied or believed, and nothing below it is looked at until the caller does:
/// what is not known, or looks nested and is not, stays bytes. The end of an indefinite length has to be looked for, so
/// that a byte is passed at most once for each such element around it; the depth bounds that.
package struct DERReader: Sendable {
    package enum Rules: Sendable {
        /// One way to write each value: lengths definite and as short as can be, strings in one piece.
        case der
        /// Indefinite lengths and strings in segments are read, too.
        case ber
    }

    /// Genuine receipts have about ten levels.
    package static let deepest = 24

    package let bytes: [UInt8]
    package let rules: Rules
    package private(set) var position: Int
    private let end: Int
    private let depth: Int

    /// Reads all of `bytes`.
    init(_ bytes: [UInt8], rules: Rules = .der) {
        self.init(bytes, in: bytes.indices, rules: rules, depth: 0)
    }

    private init(_ bytes: [UInt8], in range: Range<Int>, rules: Rules, depth: Int) {
        self.bytes = bytes
        self.rules = rules
        self.position = range.lowerBound
        self.end = range.upperBound
        self.depth = depth
    }

    /// Whether nothing is left.
    package var isAtEnd: Bool { position == end }

    /// The next element, whatever it is.
    package mutating func next() throws(DERError) -> DERElement {
        let element = try element(at: position, in: end, depth: depth)
        position = element.range.upperBound
        return element
    }

    /// The next element, which has to be this one.
    package mutating func next(_ tag: DERTag) throws(DERError) -> DERElement {
        let start = position
        guard !isAtEnd else { throw DERError(fault: .unexpected(tag, instead: nil), offset: start) }
        let element = try next()
        guard element.tag == tag else {
            throw DERError(fault: .unexpected(tag, instead: element.tag), offset: start)
        }
        return element
    }

    /// The next element if it is this one; what else there is stays where it is.
    package mutating func nextIfPresent(_ tag: DERTag) throws(DERError) -> DERElement? {
        guard !isAtEnd else { return nil }
        let element = try element(at: position, in: end, depth: depth)
        guard element.tag == tag else { return nil }
        position = element.range.upperBound
        return element
    }

    /// What is in the next element, which has to be this one and constructed.
    package mutating func enter(_ tag: DERTag) throws(DERError) -> DERReader { try inside(next(tag)) }

    /// What is in an element of this reader.
    package func inside(_ element: DERElement) throws(DERError) -> DERReader {
        guard element.isConstructed else { throw DERError(fault: .notDER, offset: element.range.lowerBound) }
        guard depth < Self.deepest else { throw DERError(fault: .tooDeep, offset: element.range.lowerBound) }
        return DERReader(bytes, in: element.contents, rules: rules, depth: depth + 1)
    }

    /// What is in the bytes of a string that holds elements itself.
    package func within(_ range: Range<Int>) throws(DERError) -> DERReader {
        guard depth < Self.deepest else { throw DERError(fault: .tooDeep, offset: range.lowerBound) }
        return DERReader(bytes, in: range, rules: rules, depth: depth + 1)
    }

    /// Says that nothing more is due.
    package func finish() throws(DERError) {
        guard isAtEnd else { throw DERError(fault: .trailing, offset: position) }
    }

    // MARK: - One element

    private func element(at start: Int, in end: Int, depth: Int) throws(DERError) -> DERElement {
        guard start < end, start + 1 < end else { throw DERError(fault: .truncated, offset: start) }
        let (first, second) = (bytes[start], bytes[start + 1])
        guard first & 0x1F != 0x1F else { throw DERError(fault: .badTag, offset: start) }
        let tag = DERTag(tagClass: first >> 6, number: first & 0x1F)
        let isConstructed = first & 0x20 != 0
        if second == 0x80 {
            return try indefinite(tag, isConstructed: isConstructed, at: start, in: end, depth: depth)
        }
        var length = Int(second)
        var contents = start + 2
        if second > 0x80 {
            let count = Int(second & 0x7F)
            guard count <= 4 else { throw DERError(fault: .badLength, offset: start) }
            guard contents + count <= end else { throw DERError(fault: .truncated, offset: start) }
            length = 0
            for index in contents..<contents + count { length = length << 8 | Int(bytes[index]) }
            guard rules == .ber || length >= 0x80 && length >> (8 * (count - 1)) != 0 else {
                throw DERError(fault: .badLength, offset: start)
            }
            contents += count
        }
        guard length <= end - contents else { throw DERError(fault: .truncated, offset: start) }
        let after = contents + length
        return DERElement(
            tag: tag, isConstructed: isConstructed, range: start..<after, contents: contents..<after, isDefinite: true)
    }

    /// X.690 § 8.1.3.6: what is in it ends with two zero bytes.
    private func indefinite(
        _ tag: DERTag, isConstructed: Bool, at start: Int, in end: Int, depth: Int
    ) throws(DERError) -> DERElement {
        guard rules == .ber, isConstructed else { throw DERError(fault: .notDER, offset: start) }
        guard depth < Self.deepest else { throw DERError(fault: .tooDeep, offset: start) }
        var position = start + 2
        while true {
            guard position + 1 < end else { throw DERError(fault: .truncated, offset: start) }
            if bytes[position] == 0, bytes[position + 1] == 0 { break }
            position = try element(at: position, in: end, depth: depth + 1).range.upperBound
        }
        return DERElement(
            tag: tag, isConstructed: true, range: start..<position + 2, contents: start + 2..<position,
            isDefinite: false)
    }
}
