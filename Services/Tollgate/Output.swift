internal import Messages

/// What a command has to say: the same for people and for programs.
package struct Output: Sendable {
    /// For people, without a line feed at its end.
    package let text: String
    /// For programs (`--json`): one JSON value on one line.
    package let json: String
    /// How the process ends.
    package let status: ExitStatus
    /// For standard error, beside what was done.
    package let remark: String?

    /// - Parameter jsonText: one JSON value on one line.
    package init(_ text: String? = nil, jsonText: String, status: ExitStatus = .success, remark: String? = nil) {
        self.text = text ?? jsonText
        json = jsonText
        self.status = status
        self.remark = remark
    }

    /// - Throws: `EncodingError`, for a number that JSON has no text for.
    package init(_ text: String, json: some Encodable, status: ExitStatus = .success, remark: String? = nil) throws {
        self.text = text
        self.json = String(decoding: try MessageJSON.encode(json), as: UTF8.self)
        self.status = status
        self.remark = remark
    }
}

extension String {
    /// The same of a text of several lines, such as a body: its lines stay lines, however they end.
    var onItsLines: String {
        split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { String($0).onOneLine }
            .joined(separator: "\n")
    }

    /// What strangers wrote, fit for a line of a terminal: without control characters, which could move the cursor or
    /// begin a line of their own.
    var onOneLine: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .format, .lineSeparator, .paragraphSeparator: "\u{FFFD}"
                    default: scalar
                    }
                }))
    }
}
