/// Walks a JSON text once, from left to right, and keeps where the members of a top-level object are, or where everything
/// is.
///
/// RFC 8259 without its liberties: no byte order mark, no duplicate names, no lone surrogates, no NUL.
/// Every byte is looked at a bounded number of times, whatever the text is.
struct JSONReader {
    /// A member of the top-level object: both ranges are byte ranges of the text.
    struct Member: Sendable {
        /// Between the quotes, as written.
        let name: Range<Int>
        let nameHasEscapes: Bool
        let value: Range<Int>
    }

    private let bytes: [UInt8]
    private let limits: JSONLimits
    private let keepsTokens: Bool
    private let allowsNUL: Bool
    private var index = 0
    /// The names of all open objects, innermost last.
    private var openNames: [Range<Int>] = []
    private(set) var members: [Member] = []
    /// The name of the top-level member that is being read.
    private(set) var open: (name: Range<Int>, hasEscapes: Bool)?
    /// All values and names, if they are kept.
    private(set) var tokens: [JSONToken] = []

    /// - Parameters:
    ///   - keepsTokens: whether it is taken apart, or looked at only.
    ///   - allowsNUL: whether `\u0000` may be in it: not in what comes from outside.
    init(_ bytes: [UInt8], limits: JSONLimits, keepsTokens: Bool = false, allowsNUL: Bool = false) {
        self.bytes = bytes
        self.limits = limits
        self.keepsTokens = keepsTokens
        self.allowsNUL = allowsNUL
        if keepsTokens { tokens.reserveCapacity(min(bytes.count / 8, 1 << 16) + 4) }
    }

    /// Reads the whole text.
    mutating func read() throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw JSONError(.tooLarge, at: limits.bytes) }
        // Tokens count in 32 bits.
        guard bytes.count < Int(Int32.max) else { throw JSONError(.tooLarge, at: Int(Int32.max)) }
        skipSpace()
        try value(depth: 0)
        skipSpace()
        guard index == bytes.count else { throw JSONError(.trailingBytes, at: index) }
    }

    private mutating func value(depth: Int) throws(JSONError) {
        switch try peek() {
        case UInt8(ascii: "{"): try object(depth: depth)
        case UInt8(ascii: "["): try array(depth: depth)
        case UInt8(ascii: "\""):
            let string = try string()
            keep(string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let start = index
            try number()
            keep(.number, start..<index)
        case UInt8(ascii: "t"): try literal("true", .true)
        case UInt8(ascii: "f"): try literal("false", .false)
        case UInt8(ascii: "n"): try literal("null", .null)
        default: throw JSONError(.unexpectedByte, at: index)
        }
    }

    // MARK: Tokens

    private mutating func keep(_ kind: JSONToken.Kind, _ range: Range<Int>) {
        guard keepsTokens else { return }
        tokens.append(
            JSONToken(
                kind: kind, start: Int32(truncatingIfNeeded: range.lowerBound),
                end: Int32(truncatingIfNeeded: range.upperBound), next: Int32(truncatingIfNeeded: tokens.count + 1)))
    }

    private mutating func keep(_ string: (content: Range<Int>, hasEscapes: Bool)) {
        keep(string.hasEscapes ? .escapedString : .string, string.content)
    }

    /// The array or object that began as `token` ends here.
    private mutating func end(_ token: Int, count: Int) {
        guard keepsTokens else { return }
        tokens[token].end = Int32(truncatingIfNeeded: index)
        tokens[token].next = Int32(truncatingIfNeeded: tokens.count)
        tokens[token].count = Int32(truncatingIfNeeded: count)
    }

    // MARK: Arrays and objects

    private mutating func array(depth: Int) throws(JSONError) {
        guard depth < limits.depth else { throw JSONError(.tooDeep, at: index) }
        let token = tokens.count
        keep(.array, index..<index)
        index += 1
        skipSpace()
        var count = 0
        while try !skip(UInt8(ascii: "]")) {
            if count > 0 { try expect(UInt8(ascii: ",")) }
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
            count += 1
        }
        end(token, count: count)
    }

    private mutating func object(depth: Int) throws(JSONError) {
        guard depth < limits.depth else { throw JSONError(.tooDeep, at: index) }
        let token = tokens.count
        keep(.object, index..<index)
        index += 1
        skipSpace()
        let outerNames = openNames.count
        var manyNames: Set<[UInt8]>?
        var count = 0
        while try !skip(UInt8(ascii: "}")) {
            if count > 0 { try expect(UInt8(ascii: ",")) }
            skipSpace()
            guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: index) }
            let name = try string()
            if depth == 0 { open = (name.content, name.hasEscapes) }
            keep(name)
            try remember(name.content, hasEscapes: name.hasEscapes, since: outerNames, many: &manyNames)
            skipSpace()
            try expect(UInt8(ascii: ":"))
            skipSpace()
            let start = index
            try value(depth: depth + 1)
            if depth == 0 {
                members.append(
                    Member(name: name.content, nameHasEscapes: name.hasEscapes, value: start..<index))
                open = nil
            }
            skipSpace()
            count += 1
        }
        openNames.removeLast(openNames.count - outerNames)
        end(token, count: count)
    }

    /// Adds a name to the innermost object.
    ///
    /// A few plain names are compared with each other, which beats hashing; more of them, or names with
    /// escapes, go through a set, so that the work stays linear in the text.
    private mutating func remember(
        _ name: Range<Int>, hasEscapes: Bool, since start: Int, many: inout Set<[UInt8]>?
    ) throws(JSONError) {
        if many == nil, hasEscapes || openNames.count - start == 32 {
            many = Set(openNames[start...].map { Array(bytes[$0]) })
        }
        if many != nil {
            let text = hasEscapes ? JSONText.unescaped(bytes[name]) : Array(bytes[name])
            guard many?.insert(text).inserted == true else { throw JSONError(.duplicateMember, at: name.lowerBound) }
            return
        }
        for other in openNames[start...] where other.count == name.count && bytes[other] == bytes[name] {
            throw JSONError(.duplicateMember, at: name.lowerBound)
        }
        openNames.append(name)
    }

    // MARK: Strings

    /// Reads a string and returns what is between its quotes, as written.
    private mutating func string() throws(JSONError) -> (content: Range<Int>, hasEscapes: Bool) {
        index += 1
        let start = index
        var hasEscapes = false
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                index += 1
                return (start..<index - 1, hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            case 0x20..<0x80: index += 1
            case 0x80...: try multibyteCharacter()
            default: throw JSONError(.controlCharacter, at: index)
            }
        }
        throw JSONError(.unexpectedEnd, at: index)
    }

    private mutating func escape() throws(JSONError) {
        let start = index
        guard index + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        let letter = bytes[index + 1]
        index += 2
        guard letter == UInt8(ascii: "u") else {
            guard JSONText.escapes[letter] != nil else { throw JSONError(.badEscape, at: start) }
            return
        }
        switch try hexUnit(of: start) {
        case 0 where !allowsNUL: throw JSONError(.nul, at: start)
        case 0xD800..<0xDC00:
            guard index + 1 < bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u")
            else { throw JSONError(.loneSurrogate, at: start) }
            index += 2
            guard case 0xDC00..<0xE000 = try hexUnit(of: start) else { throw JSONError(.loneSurrogate, at: start) }
        case 0xDC00..<0xE000: throw JSONError(.loneSurrogate, at: start)
        default: break
        }
    }

    /// The four digits of a `\u` escape.
    private mutating func hexUnit(of escape: Int) throws(JSONError) -> UInt16 {
        guard index + 4 <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        guard let unit = JSONText.hexUnit(bytes[index..<index + 4]) else { throw JSONError(.badEscape, at: escape) }
        index += 4
        return unit
    }

    /// One character of two to four bytes: Unicode 15, table 3-7.
    private mutating func multibyteCharacter() throws(JSONError) {
        let first = bytes[index]
        let second: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw JSONError(.invalidUTF8, at: index)
        }
        guard index + length <= bytes.count, second.contains(bytes[index + 1]),
            bytes[(index + 2)..<(index + length)].allSatisfy({ $0 & 0xC0 == 0x80 })
        else { throw JSONError(.invalidUTF8, at: index) }
        index += length
    }

    // MARK: Numbers and words

    private mutating func number() throws(JSONError) {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let first = index
        let digits = skipDigits()
        guard digits > 0, digits == 1 || bytes[first] != UInt8(ascii: "0") else {
            throw JSONError(.badNumber, at: start)
        }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard skipDigits() > 0 else { throw JSONError(.badNumber, at: start) }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard skipDigits() > 0 else { throw JSONError(.badNumber, at: start) }
        }
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = bytes[index] { index += 1 }
        return index - start
    }

    private mutating func literal(_ word: StaticString, _ kind: JSONToken.Kind) throws(JSONError) {
        let end = index + word.utf8CodeUnitCount
        guard end <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
        let matches = word.withUTF8Buffer { bytes[index..<end].elementsEqual($0) }
        guard matches else { throw JSONError(.unexpectedByte, at: index) }
        keep(kind, index..<end)
        index = end
    }

    // MARK: Single bytes

    private func peek() throws(JSONError) -> UInt8 {
        guard index < bytes.count else { throw JSONError(.unexpectedEnd, at: index) }
        return bytes[index]
    }

    private mutating func skip(_ byte: UInt8) throws(JSONError) -> Bool {
        guard try peek() == byte else { return false }
        index += 1
        return true
    }

    private mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard try skip(byte) else { throw JSONError(.unexpectedByte, at: index) }
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }
}
