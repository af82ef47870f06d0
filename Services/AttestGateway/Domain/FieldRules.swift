internal import HTTP
internal import JSON

/// What the SDK API asks of the texts in a body. Every refusal is a 400 that names the field.
enum FieldRules {
    /// Of an identifier: 1 to 256 UTF-8 bytes, taken as they are.
    static let identifierBytes = 256
    /// Of what a device says about itself.
    static let deviceBytes = 256

    /// An identifier that has to be there.
    static func identifier(_ name: String, in body: JSONObject) throws -> String {
        try required(name, in: body, within: identifierBytes)
    }

    /// An identifier that may be absent or null, but not empty.
    static func optionalIdentifier(_ name: String, in body: JSONObject) throws -> String? {
        try presence(of: name, in: body, within: identifierBytes)
    }

    /// A text that has to be there, and not empty.
    static func required(_ name: String, in body: JSONObject, within bytes: Int) throws -> String {
        guard let text = try presence(of: name, in: body, within: bytes) else {
            throw JSONError(.missingMember, path: name)
        }
        return text
    }

    private static func presence(of name: String, in body: JSONObject, within bytes: Int) throws -> String? {
        guard let text = try body.string(name) else { return nil }
        guard !text.isEmpty else { throw HTTPError.empty(name) }
        try checkNUL(text, name)
        try check(text, name, within: bytes)
        return text
    }

    /// A text that may be absent, null or empty: all of it nil.
    static func text(_ name: String, in body: JSONObject, within bytes: Int) throws -> String? {
        guard let text = try body.string(name), !text.isEmpty else { return nil }
        try check(text, name, within: bytes)
        return text
    }

    /// - Throws: 400 for a text that is longer.
    static func check(_ text: String, _ name: String, within bytes: Int) throws(HTTPError) {
        guard text.utf8.count <= bytes else { throw .tooLong(name, most: bytes) }
    }

    /// For texts of a body that was read with NULs allowed.
    ///
    /// - Throws: 400 for a text with one.
    static func checkNUL(_ text: String, _ name: String) throws(JSONError) {
        guard !text.utf8.contains(0) else { throw JSONError(.nul, path: name) }
    }
}

extension HTTPError {
    /// 400: there has to be something in it.
    static func empty(_ field: String) -> HTTPError {
        .badRequest("field_empty", "\(field) must not be empty", field: field)
    }

    /// 400: a text, or an object as it was sent.
    static func tooLong(_ field: String, most bytes: Int) -> HTTPError {
        .badRequest("field_too_long", "\(field) must be at most \(bytes) bytes long", field: field)
    }

    /// 400: an array.
    static func tooMany(_ field: String, most count: Int) -> HTTPError {
        .badRequest("too_many_elements", "\(field) must have at most \(count) elements", field: field)
    }
}
