extension JSONObject {
    /// Every member as a value, for what is shown or passed on without knowing what is in it.
    ///
    /// Whole numbers that JavaScript's numbers do not hold exactly are texts with every digit, see
    /// ``JSONValue/interoperable(_:)``; numbers with a fraction or an exponent are doubles.
    public var values: [String: JSONValue] {
        var cursor = JSONCursor(bytes)
        guard case .object(let members) = cursor.value() else { return [:] }
        return members
    }

    /// A member that is an object itself, checked like the whole.
    public func object(_ name: String) throws(JSONError) -> JSONObject? {
        guard let value = range(of: name), bytes[value.lowerBound] != UInt8(ascii: "n") else { return nil }
        guard bytes[value.lowerBound] == UInt8(ascii: "{") else { throw JSONError(.wrongType, path: name) }
        // It is part of a text within the caller's limits, which were at most the highest.
        return try JSONObject(Array(bytes[value]), limits: JSONLimits(depth: 512, bytes: value.count))
    }

    /// The elements of an array, whatever each is, as the texts that they are.
    public func elements(_ name: String) throws(JSONError) -> [ArraySlice<UInt8>]? {
        guard let value = range(of: name), bytes[value.lowerBound] != UInt8(ascii: "n") else { return nil }
        guard bytes[value.lowerBound] == UInt8(ascii: "[") else { throw JSONError(.wrongType, path: name) }
        var cursor = JSONCursor(Array(bytes[value]))
        return cursor.elements()
    }
}

/// Walks a text that ``JSONReader`` has accepted, and so is no deeper than its limits.
private struct JSONCursor {
    private let bytes: [UInt8]
    private var index = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func value() -> JSONValue {
        skipSpace()
        switch index < bytes.count ? bytes[index] : 0 {
        case UInt8(ascii: "{"): return .object(object())
        case UInt8(ascii: "["): return .array(array())
        case UInt8(ascii: "\""): return .string(string())
        case UInt8(ascii: "t"): return word(4, is: .boolean(true))
        case UInt8(ascii: "f"): return word(5, is: .boolean(false))
        case UInt8(ascii: "n"): return word(4, is: .null)
        default: return number()
        }
    }

    /// Of the array that begins here.
    mutating func elements() -> [ArraySlice<UInt8>] {
        skipSpace()
        var elements: [ArraySlice<UInt8>] = []
        while next(before: UInt8(ascii: "]")) {
            let start = index
            skipValue()
            elements.append(bytes[start..<min(index, bytes.count)])
        }
        return elements
    }

    /// Steps over one value, without making anything of it.
    private mutating func skipValue() {
        var depth = 0
        repeat {
            switch index < bytes.count ? bytes[index] : 0 {
            case UInt8(ascii: "\""): skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                index += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                index += 1
            default: skipScalar(inside: depth > 0)
            }
        } while depth > 0 && index < bytes.count
    }

    private mutating func skipString() {
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        index += 1
    }

    /// Letters and digits; inside of an array or object also what stands between values.
    private mutating func skipScalar(inside isInside: Bool) {
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            case UInt8(ascii: ","), 0x20, 0x0A, 0x0D, 0x09:
                guard isInside else { return }
                index += 1
            default: index += 1
            }
        }
    }

    private mutating func object() -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        while next(before: UInt8(ascii: "}")) {
            let name = string()
            skipSpace()
            index += 1  // the colon
            members[name] = value()
        }
        return members
    }

    private mutating func array() -> [JSONValue] {
        var elements: [JSONValue] = []
        while next(before: UInt8(ascii: "]")) { elements.append(value()) }
        return elements
    }

    /// Steps over an opening bracket or a comma to what follows it; over the closing bracket if nothing does.
    private mutating func next(before end: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count else { return false }
        if bytes[index] != end { index += 1 }
        skipSpace()
        guard index < bytes.count, bytes[index] != end else {
            index += 1
            return false
        }
        return true
    }

    private mutating func string() -> String {
        let start = min(index + 1, bytes.count)
        var hasEscapes = false
        index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            let isEscape = bytes[index] == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            index += isEscape ? 2 : 1
        }
        let content = bytes[start..<min(index, bytes.count)]
        index += 1
        return String(decoding: hasEscapes ? JSONText.unescaped(content)[...] : content, as: UTF8.self)
    }

    private mutating func number() -> JSONValue {
        let start = index
        var isWhole = true
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"): break
            case UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
            default: return number(start, isWhole: isWhole)
            }
            index += 1
        }
        return number(start, isWhole: isWhole)
    }

    private func number(_ start: Int, isWhole: Bool) -> JSONValue {
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isWhole { return Int64(text).map(JSONValue.interoperable) ?? .string(text) }
        // 1e999 is a number, but none that any reader could hold.
        guard let double = Double(text), double.isFinite else { return .string(text) }
        return .double(double)
    }

    private mutating func word(_ count: Int, is value: JSONValue) -> JSONValue {
        index += count
        return value
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x0A, 0x0D, 0x09].contains(bytes[index]) { index += 1 }
    }
}
