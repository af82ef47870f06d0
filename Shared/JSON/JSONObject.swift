/// A checked JSON object whose members are read one by one, straight from the text.
///
/// For small objects on a hot path, and where numbers matter as they were written: many times faster than a
/// decoder, since the text is walked once. A member that is absent or `null` reads as `nil`; one of another type
/// throws ``JSONError`` with its name.
public struct JSONObject: Sendable {
    /// The text, as it was given.
    public let bytes: [UInt8]
    let members: [JSONReader.Member]

    /// Checks the whole text, see ``JSONScanner/check(_:limits:)``, and that it is an object.
    ///
    /// - Parameter allowsNUL: whether `\u0000` may be in it: where one part of a text must not take the others along. It is
    ///   for the caller then to look for it in whatever he takes.
    /// - Throws: ``JSONError``; of a text that is JSON, but not of the kind that is taken, also with the member that it is in.
    public init(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), allowsNUL: Bool = false
    ) throws(JSONError) {
        var reader = JSONReader(bytes, limits: limits, allowsNUL: allowsNUL)
        do throws(JSONError) {
            try reader.read()
        } catch {
            guard error.problem.isRefinement, let offset = error.offset, let open = reader.open else { throw error }
            let name = open.hasEscapes ? JSONText.unescaped(bytes[open.name])[...] : bytes[open.name]
            throw JSONError(error.problem, at: offset, in: String(decoding: name, as: UTF8.self))
        }
        guard bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { throw JSONError(.wrongType, path: "") }
        self.bytes = bytes
        self.members = reader.members
    }

    /// The names of all members, in the order of the text.
    public var names: [String] { members.map { text(of: $0.name, hasEscapes: $0.nameHasEscapes) } }

    /// Where a member's value is; a string's range includes its quotes.
    public func range(of name: String) -> Range<Int>? {
        let count = name.utf8.count
        for member in members {
            if member.nameHasEscapes {
                if JSONText.unescaped(bytes[member.name]).elementsEqual(name.utf8) { return member.value }
            } else if member.name.count == count, bytes[member.name].elementsEqual(name.utf8) {
                return member.value
            }
        }
        return nil
    }

    /// A text.
    public func string(_ name: String) throws(JSONError) -> String? {
        guard let value = valueUnlessNull(name) else { return nil }
        guard let string = string(at: value) else { throw JSONError(.wrongType, path: name) }
        return string
    }

    /// `true` or `false`.
    public func boolean(_ name: String) throws(JSONError) -> Bool? {
        guard let value = valueUnlessNull(name) else { return nil }
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "t"): return true
        case UInt8(ascii: "f"): return false
        default: throw JSONError(.wrongType, path: name)
        }
    }

    /// A whole number; `1990.0` and `2e3` are whole too.
    public func integer(_ name: String) throws(JSONError) -> Int? {
        guard let text = try number(asWritten: name) else { return nil }
        if let integer = Int(text) { return integer }
        guard let integer = Double(text).flatMap({ Int(exactly: $0) }) else { throw JSONError(.wrongType, path: name) }
        return integer
    }

    /// A number with or without fraction.
    public func double(_ name: String) throws(JSONError) -> Double? {
        guard let text = try number(asWritten: name) else { return nil }
        guard let double = Double(text), double.isFinite else { throw JSONError(.badValue, path: name) }
        return double
    }

    /// A number with every digit that was written.
    public func number(asWritten name: String) throws(JSONError) -> String? {
        guard let value = valueUnlessNull(name) else { return nil }
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return String(decoding: bytes[value], as: UTF8.self)
        default: throw JSONError(.wrongType, path: name)
        }
    }

    /// An array of texts and nothing else.
    public func strings(_ name: String) throws(JSONError) -> [String]? {
        guard let value = valueUnlessNull(name) else { return nil }
        guard bytes[value.lowerBound] == UInt8(ascii: "[") else { throw JSONError(.wrongType, path: name) }
        var strings: [String] = []
        var index = value.lowerBound + 1
        while index < value.upperBound - 1 {
            switch bytes[index] {
            // The text has been checked: between the elements there is only space and one comma.
            case 0x20, 0x0A, 0x0D, 0x09, UInt8(ascii: ","): index += 1
            case UInt8(ascii: "\""):
                let end = endOfString(at: index)
                guard let string = string(at: index..<end) else { throw JSONError(.wrongType, path: name) }
                strings.append(string)
                index = end
            default: throw JSONError(.wrongType, path: "\(name)[\(strings.count)]")
            }
        }
        return strings
    }

    private func valueUnlessNull(_ name: String) -> Range<Int>? {
        guard let value = range(of: name), bytes[value.lowerBound] != UInt8(ascii: "n") else { return nil }
        return value
    }

    func string(at value: Range<Int>) -> String? {
        guard value.count >= 2, bytes[value.lowerBound] == UInt8(ascii: "\"") else { return nil }
        let content = value.lowerBound + 1..<value.upperBound - 1
        return text(of: content, hasEscapes: bytes[content].contains(UInt8(ascii: "\\")))
    }

    func text(of content: Range<Int>, hasEscapes: Bool) -> String {
        hasEscapes
            ? String(decoding: JSONText.unescaped(bytes[content]), as: UTF8.self)
            : String(decoding: bytes[content], as: UTF8.self)
    }

    private func endOfString(at start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }
}
