/// What is wrong with bytes that should be CBOR, and where. Quotes nothing of them.
package struct CBORError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong. The raw value is for people.
    package enum Problem: String, Sendable {
        case tooLarge = "too large"
        case tooDeep = "nested too deeply"
        case tooManyItems = "too many items"
        case unexpectedEnd = "ends early"
        case trailingBytes = "something behind its end"
        case indefiniteLength = "indefinite length"
        case duplicateKey = "duplicate key"
        case unsupportedKey = "a key that is neither text nor number nor bytes"
        case invalidUTF8 = "text is not UTF-8"
        case notAMap = "no map where one is due"
        /// Lengths and simple values that RFC 8949 has not given a meaning.
        case reserved = "reserved value"
    }

    /// What is wrong.
    package let problem: Problem
    /// At which item or byte, counted from the start of what was given.
    package let offset: Int

    package var description: String { "CBOR: \(problem.rawValue) at byte \(offset)" }
}
