internal import FoundationEssentials

/// Reads one value from a JSON text that ``JSONReader`` has taken apart, where it stands.
///
/// What Foundation's decoder reads, without a copy of the text and a dictionary for each object.
final class JSONDecoding: Decoder {
    private let bytes: [UInt8]
    private let tokens: [JSONToken]
    // As in `JSONEncoding`: one decoding belongs to one call.
    /// The token of the value that is being read.
    @exclusivity(unchecked) private var current: Int
    @exclusivity(unchecked) private(set) var codingPath: [any CodingKey]

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    private init(_ bytes: [UInt8], _ tokens: [JSONToken]) {
        self.bytes = bytes
        self.tokens = tokens
        current = 0
        codingPath = []
    }

    /// The whole.
    static func value<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8], _ tokens: [JSONToken]) throws -> Value {
        try JSONDecoding(bytes, tokens).value(type, 0)
    }

    private init(_ other: JSONDecoding, at token: Int, _ key: any CodingKey) {
        bytes = other.bytes
        tokens = other.tokens
        current = token
        codingPath = other.codingPath + [key]
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard tokens[current].kind == .object else { throw mismatch([String: Any].self, current) }
        return KeyedDecodingContainer(JSONMembersRead(by: self, object: current))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard tokens[current].kind == .array else { throw mismatch([Any].self, current) }
        return JSONElementsRead(by: self, array: current)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { JSONValueRead(decoding: self, token: current) }

    // MARK: Values

    func value<Value: Decodable>(_ type: Value.Type, _ token: Int) throws -> Value {
        let outer = current
        current = token
        defer { current = outer }
        return type == Data.self ? try data(token) : try type.init(from: self)
    }

    // Apart, because to look up the type of the cast would be a tenth of what every other value costs.
    @inline(never)
    private func data<Value>(_ token: Int) throws -> Value {
        guard let data = Data(base64Encoded: try string(token)), let value = data as? Value else {
            throw corrupted("not Base64")
        }
        return value
    }

    func value<Value: Decodable>(_ type: Value.Type, _ token: Int, at key: some CodingKey) throws -> Value {
        codingPath.append(key)
        defer { codingPath.removeLast() }
        return try value(type, token)
    }

    /// Runs `read`, which looks at one token, as the value of `key`. Where it throws it is run again, so that its error tells
    /// the place: to note that of every text and number, just in case, costs more than to read it.
    func at<Value>(_ key: some CodingKey, _ read: () throws -> Value) throws -> Value {
        do {
            return try read()
        } catch {
            codingPath.append(key)
            defer { codingPath.removeLast() }
            return try read()
        }
    }

    /// A decoder of its own for one value.
    func apart(_ token: Int, at key: some CodingKey) -> JSONDecoding { JSONDecoding(self, at: token, key) }

    /// The text of the value that is being read.
    var text: ArraySlice<UInt8> {
        let range = tokens[current].range
        switch tokens[current].kind {
        case .string, .escapedString: return bytes[range.lowerBound - 1...range.upperBound]
        default: return bytes[range]
        }
    }

    /// The token of the value that is being read.
    var place: Int { current }

    func isObject(_ token: Int) -> Bool { tokens[token].kind == .object }

    func isNull(_ token: Int) -> Bool { tokens[token].kind == .null }

    func boolean(_ token: Int) throws -> Bool {
        switch tokens[token].kind {
        case .true: return true
        case .false: return false
        default: throw mismatch(Bool.self, token)
        }
    }

    func string(_ token: Int) throws -> String {
        switch tokens[token].kind {
        case .string: return String(decoding: bytes[tokens[token].range], as: UTF8.self)
        case .escapedString: return String(decoding: JSONText.unescaped(bytes[tokens[token].range]), as: UTF8.self)
        default: throw mismatch(String.self, token)
        }
    }

    /// A whole number; `1990.0` and `2e3` are whole too.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, _ token: Int) throws -> Number {
        guard tokens[token].kind == .number else { throw mismatch(type, token) }
        let text = bytes[tokens[token].range]
        guard let number = Number(jsonDigits: text) ?? Number(jsonWhole: text) else {
            throw corrupted("not a number of this type")
        }
        return number
    }

    func floating<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        _ type: Number.Type, _ token: Int
    ) throws -> Number {
        guard tokens[token].kind == .number else { throw mismatch(type, token) }
        guard let number = Number(String(decoding: bytes[tokens[token].range], as: UTF8.self)), number.isFinite else {
            throw corrupted("not a number of this type")
        }
        return number
    }

    // MARK: Places

    /// How many elements or members it has.
    func count(_ token: Int) -> Int { Int(tokens[token].count) }

    /// The token after all that belongs to this one.
    func next(_ token: Int) -> Int { Int(tokens[token].next) }

    /// The name of the member at `token`.
    func name(_ token: Int) -> String { (try? string(token)) ?? "" }

    /// Looks for a member from the one at `start` on, then from the first one on: its name's token.
    func member(_ name: String, of object: Int, from start: Int) -> Int? {
        var name = name
        return name.withUTF8 { name in
            find(name, from: start, to: next(object)) ?? find(name, from: object + 1, to: start)
        }
    }

    private func find(_ name: UnsafeBufferPointer<UInt8>, from start: Int, to end: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var token = start
            while token < end {
                let written = tokens[token]
                if written.kind == .escapedString {
                    if JSONText.unescaped(self.bytes[written.range]).elementsEqual(name) { return token }
                } else if written.range.count == name.count, bytes[written.range].elementsEqual(name) {
                    return token
                }
                token = next(token + 1)
            }
            return nil
        }
    }

    // MARK: Errors

    /// The value at `token` is not of this type, or is null.
    func mismatch(_ type: Any.Type, _ token: Int) -> DecodingError {
        isNull(token)
            ? .valueNotFound(type, .init(codingPath: codingPath, debugDescription: "null where a value belongs"))
            : .typeMismatch(type, .init(codingPath: codingPath, debugDescription: "a value of another type"))
    }

    func corrupted(_ why: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: codingPath, debugDescription: why))
    }
}

extension FixedWidthInteger {
    /// From digits with an optional minus; nil for what is written otherwise or does not fit.
    fileprivate init?(jsonDigits text: ArraySlice<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        var number: Self = 0
        for byte in isNegative ? text.dropFirst() : text {
            guard case UInt8(ascii: "0")...UInt8(ascii: "9") = byte, let digit = Self(exactly: byte & 15) else {
                return nil
            }
            let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
            // Towards the sign that it has: the least number has no positive counterpart.
            let (sum, overflowOfSum) =
                isNegative ? shifted.subtractingReportingOverflow(digit) : shifted.addingReportingOverflow(digit)
            guard !overflow, !overflowOfSum else { return nil }
            number = sum
        }
        self = number
    }

    /// From a number with a fraction or an exponent, if it is a whole one that fits. By its digits: as a `Double`,
    /// 9007199254740993.0 would be one less.
    fileprivate init?(jsonWhole text: ArraySlice<UInt8>) {
        let mantissa = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var digits = mantissa.filter { $0 != UInt8(ascii: ".") }
        // Plain digits that did not fit.
        guard digits.count < text.count else { return nil }
        guard digits.contains(where: { $0 > UInt8(ascii: "0") }) else {
            self = 0
            return
        }
        let fraction = mantissa.firstIndex(of: UInt8(ascii: ".")).map { mantissa.endIndex - $0 - 1 } ?? 0
        let written = String(decoding: text.dropFirst(mantissa.count + 1), as: UTF8.self)
        guard let exponent = written.isEmpty ? 0 : Int(written), exponent.magnitude < 1 << 32 else { return nil }
        var zeros = exponent - fraction
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            zeros += 1
        }
        // Below none, a fraction is left; with more than 40, nothing fits.
        guard (0...40).contains(zeros) else { return nil }
        digits += repeatElement(UInt8(ascii: "0"), count: zeros)
        self.init(jsonDigits: digits[...])
    }
}
