public import FoundationEssentials
public import JSON

/// One of the things that Apple signs as a JWS: what it has to say for ``SignedPayloadVerifier``.
public protocol SignedPayload: Sendable {
    /// Reads the payload; fields that are not known are no error.
    init(_ object: JSONObject) throws(JSONError)

    /// When it was signed. The certificates have to be valid then, not now.
    var signedDate: Date { get }
    /// Where it comes from; `nil` for what was signed before Apple told, in 2022.
    var environment: AppleEnvironment? { get }
    /// Whether it is for this app. Kinds that do not name an app are for any.
    func isFor(bundleID: String) -> Bool
}

extension JSONObject {
    /// Milliseconds since 1970, with or without a fraction (Xcode), up to the year 9999.
    func date(_ name: String) throws(JSONError) -> Date? {
        guard let milliseconds = try double(name) else { return nil }
        guard milliseconds >= 0, milliseconds < 253_402_300_800_000 else { throw JSONError(.badValue, path: name) }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    /// A sum of money in thousandths. Xcode has been seen to write fractions, which are left out.
    func milliunits(_ name: String) throws(JSONError) -> Int64? {
        guard let number = try double(name), number.magnitude < 9e15 else { return nil }
        return Int64(exactly: number)
    }
}

extension KeyedEncodingContainer {
    /// Writes a date as Apple does: whole milliseconds without a fraction.
    mutating func encodeMilliseconds(_ date: Date?, forKey key: Key) throws {
        guard let milliseconds = date.map({ $0.timeIntervalSince1970 * 1000 }) else { return }
        // What was read as .788 comes back as .78799…; nearer than a microsecond is the same.
        let whole = milliseconds.rounded()
        if (milliseconds - whole).magnitude < 0.001, let whole = Int64(exactly: whole) {
            try encode(whole, forKey: key)
        } else {
            try encode(milliseconds, forKey: key)
        }
    }
}
