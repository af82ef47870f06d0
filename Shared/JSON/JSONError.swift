/// What is wrong with a JSON text, and where.
///
/// Neither description quotes a value of the text: it may be a token or a receipt.
public struct JSONError: Error, Equatable, Sendable {
    /// What is wrong. The raw value is a stable name for answers and metrics.
    public enum Problem: String, Sendable, CaseIterable {
        case tooLarge = "too_large"
        case tooDeep = "too_deep"
        case unexpectedEnd = "unexpected_end"
        case unexpectedByte = "unexpected_byte"
        case trailingBytes = "trailing_bytes"
        case invalidUTF8 = "invalid_utf8"
        case controlCharacter = "control_character"
        case badEscape = "bad_escape"
        case loneSurrogate = "lone_surrogate"
        /// `\u0000` is JSON, but cuts texts short in C libraries and in SQL; nobody needs it.
        case nul = "nul"
        case badNumber = "bad_number"
        case duplicateMember = "duplicate_member"
        /// The text is JSON; from here on, what is missing or wrong is a field at ``JSONError/path``.
        case missingMember = "missing_member"
        case wrongType = "wrong_type"
        case badValue = "bad_value"
        /// A value of ours cannot be written, such as a number that is not finite.
        case unencodable

        /// Whether the text is JSON up to there, of a kind that is not taken: then it is known which member is at fault.
        var isRefinement: Bool { [.tooDeep, .loneSurrogate, .nul, .duplicateMember].contains(self) }
    }

    /// What is wrong.
    public let problem: Problem
    /// Where the text stops being acceptable, in bytes from its start.
    public let offset: Int?
    /// The field that is wrong, as in `items[2].name`; empty for the whole value. With an ``offset``: the member of the
    /// text's object that it lies in.
    public let path: String?

    /// A fault of the text itself.
    public init(_ problem: Problem, at offset: Int) {
        self.problem = problem
        self.offset = offset
        self.path = nil
    }

    /// A fault of the text itself, in one member of its object. Long names are cut.
    public init(_ problem: Problem, at offset: Int, in member: String) {
        self.problem = problem
        self.offset = offset
        self.path = String(member.unicodeScalars.prefix(200))
    }

    /// A fault of one field. Long paths are cut: dictionary keys come from outside.
    public init(_ problem: Problem, path: String) {
        self.problem = problem
        self.offset = nil
        self.path = String(path.unicodeScalars.prefix(200))
    }
}

extension JSONError: CustomStringConvertible {
    /// For clients and logs alike.
    public var description: String {
        let what = problem.rawValue.split(separator: "_").joined(separator: " ")
        if let offset { return "JSON: \(what) at byte \(offset)" }
        if let path, !path.isEmpty { return "JSON: \(what): \(path)" }
        return "JSON: \(what)"
    }
}
