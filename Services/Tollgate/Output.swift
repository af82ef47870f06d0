internal import Messages

/// What a command has to say: the same for people and for programs.
package struct Output: Sendable {
    /// For people, without a line feed at its end.
    package let text: String
    /// For programs (`--json`): one JSON value on one line.
    package let json: String
    /// How the process ends.
    package let status: ExitStatus

    /// - Throws: `EncodingError`, for a number that JSON has no text for.
    package init(_ text: String, json: some Encodable, status: ExitStatus = .success) throws {
        self.text = text
        self.json = String(decoding: try MessageJSON.encode(json), as: UTF8.self)
        self.status = status
    }
}
