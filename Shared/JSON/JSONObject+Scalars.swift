/// A JSON value that is neither an array nor an object.
public enum JSONScalar: Sendable, Hashable {
    /// A text.
    case text(String)
    /// A number with every digit that was written.
    case number(String)
    /// `true` or `false`.
    case boolean(Bool)
    /// `null`.
    case null
}

extension JSONObject {
    /// Every member of a flat object, in the order of the text.
    ///
    /// - Throws: ``JSONError`` that names the first member that is an array or an object.
    public func scalars() throws(JSONError) -> [(name: String, value: JSONScalar)] {
        var scalars: [(name: String, value: JSONScalar)] = []
        scalars.reserveCapacity(members.count)
        for member in members {
            let name = text(of: member.name, hasEscapes: member.nameHasEscapes)
            guard let value = scalar(at: member.value) else { throw JSONError(.wrongType, path: name) }
            scalars.append((name, value))
        }
        return scalars
    }

    private func scalar(at value: Range<Int>) -> JSONScalar? {
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "{"), UInt8(ascii: "["): nil
        case UInt8(ascii: "\""): string(at: value).map(JSONScalar.text)
        case UInt8(ascii: "t"): .boolean(true)
        case UInt8(ascii: "f"): .boolean(false)
        case UInt8(ascii: "n"): .null
        default: .number(String(decoding: bytes[value], as: UTF8.self))
        }
    }
}
