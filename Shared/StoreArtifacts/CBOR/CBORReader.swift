internal import Glibc

/// Reads CBOR from outside (RFC 8949), item after item.
///
/// Definite lengths only, as in WebAuthn (CTAP2 § 8); numbers and lengths may be written longer than need be. Takes
/// time and memory in proportion to the bytes, whatever lengths they claim.
package struct CBORReader {
    /// How much one caller is prepared to read.
    package struct Limits: Sendable {
        /// Open arrays, maps and tags at one time. The reader recurses.
        package var depth = 16
        /// Items in all, keys included.
        package var items = 4096
        /// Length of the whole.
        package var bytes: Int

        package init(bytes: Int) {
            self.bytes = bytes
        }
    }

    private let bytes: ArraySlice<UInt8>
    private let limits: Limits
    private var offset: Int
    private var items = 0

    package init(_ bytes: ArraySlice<UInt8>, limits: Limits) throws(CBORError) {
        self.bytes = bytes
        self.limits = limits
        self.offset = bytes.startIndex
        guard bytes.count <= limits.bytes else { throw error(.tooLarge, at: bytes.startIndex + limits.bytes) }
    }

    /// The one item that these bytes are, with nothing behind it.
    package static func item(_ bytes: ArraySlice<UInt8>, limits: Limits) throws(CBORError) -> CBORValue {
        var reader = try CBORReader(bytes, limits: limits)
        let item = try reader.item()
        try reader.end()
        return item
    }

    /// The one map that these bytes are, with nothing behind it.
    package static func map(_ bytes: ArraySlice<UInt8>, limits: Limits) throws(CBORError) -> [CBORValue: CBORValue] {
        var reader = try CBORReader(bytes, limits: limits)
        let map = try reader.map()
        try reader.end()
        return map
    }

    /// Whether everything has been read.
    package var isAtEnd: Bool { offset == bytes.endIndex }

    /// Nothing is left.
    package func end() throws(CBORError) {
        guard isAtEnd else { throw error(.trailingBytes, at: offset) }
    }

    /// The next item.
    package mutating func item() throws(CBORError) -> CBORValue { try item(depth: 0) }

    /// The next item, which has to be a map.
    package mutating func map() throws(CBORError) -> [CBORValue: CBORValue] {
        let start = offset
        guard let map = try item().map else { throw error(.notAMap, at: start) }
        return map
    }

    private mutating func item(depth: Int) throws(CBORError) -> CBORValue {
        let start = offset
        items += 1
        guard items <= limits.items else { throw error(.tooManyItems, at: start) }
        let initial = try take(1)[start]
        let (major, information) = (initial >> 5, initial & 0x1F)
        if major == 7 { return try simple(information, at: start) }
        let argument = try argument(information, at: start)
        if major >= 4, depth >= limits.depth { throw error(.tooDeep, at: start) }
        switch major {
        case 0: return .unsigned(argument)
        case 1: return .negative(argument)
        case 2: return .bytes(Array(try take(argument)))
        case 3: return try text(argument)
        case 4: return .array(try array(argument, depth: depth + 1))
        case 5: return .map(try map(argument, depth: depth + 1))
        default: return .tagged(argument, try item(depth: depth + 1))
        }
    }

    private mutating func text(_ count: UInt64) throws(CBORError) -> CBORValue {
        let start = offset
        guard let text = String(validating: try take(count), as: UTF8.self) else {
            throw error(.invalidUTF8, at: start)
        }
        return .text(text)
    }

    private mutating func array(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue] {
        // An item takes a byte at least: a count above that is a lie, and nothing is reserved for it.
        let count = try checked(count)
        var values: [CBORValue] = []
        values.reserveCapacity(min(count, limits.items))
        for _ in 0..<count { values.append(try item(depth: depth)) }
        return values
    }

    private mutating func map(_ count: UInt64, depth: Int) throws(CBORError) -> [CBORValue: CBORValue] {
        let count = try checked(count)
        var members: [CBORValue: CBORValue] = [:]
        members.reserveCapacity(min(count, limits.items))
        for _ in 0..<count {
            let start = offset
            let key = try item(depth: depth)
            switch key {
            case .unsigned, .negative, .bytes, .text: break
            default: throw error(.unsupportedKey, at: start)
            }
            guard members.updateValue(try item(depth: depth), forKey: key) == nil else {
                throw error(.duplicateKey, at: start)
            }
        }
        return members
    }

    private mutating func simple(_ information: UInt8, at start: Int) throws(CBORError) -> CBORValue {
        switch information {
        case 20: return .boolean(false)
        case 21: return .boolean(true)
        case 22: return .null
        case 23: return .undefined
        case 25: return .float(Self.half(UInt16(try argument(information, at: start))))
        case 26: return .float(Double(Float(bitPattern: UInt32(try argument(information, at: start)))))
        case 27: return .float(Double(bitPattern: try argument(information, at: start)))
        case 31: throw error(.indefiniteLength, at: start)
        default: throw error(.reserved, at: start)
        }
    }

    private mutating func argument(_ information: UInt8, at start: Int) throws(CBORError) -> UInt64 {
        switch information {
        case 0..<24: return UInt64(information)
        case 24..<28:
            return try take(UInt64(1) << (information - 24)).reduce(0) { $0 << 8 | UInt64($1) }
        case 31: throw error(.indefiniteLength, at: start)
        default: throw error(.reserved, at: start)
        }
    }

    private mutating func take(_ count: UInt64) throws(CBORError) -> ArraySlice<UInt8> {
        let end = offset + (try checked(count))
        defer { offset = end }
        return bytes[offset..<end]
    }

    /// A count of bytes or items that there is room for.
    private func checked(_ count: UInt64) throws(CBORError) -> Int {
        guard count <= UInt64(bytes.endIndex - offset) else { throw error(.unexpectedEnd, at: offset) }
        return Int(count)
    }

    private func error(_ problem: CBORError.Problem, at index: Int) -> CBORError {
        CBORError(problem: problem, offset: index - bytes.startIndex)
    }

    /// RFC 8949 appendix D. Swift's own Float16 does not exist on every processor.
    private static func half(_ bits: UInt16) -> Double {
        let fraction = Double(bits & 0x3FF)
        let magnitude =
            switch Int(bits >> 10 & 0x1F) {
            case 0: scalbn(fraction, -24)
            case 31: fraction == 0 ? Double.infinity : Double.nan
            case let exponent: scalbn(fraction + 1024, Int32(exponent - 25))
            }
        return bits & 0x8000 == 0 ? magnitude : -magnitude
    }
}
