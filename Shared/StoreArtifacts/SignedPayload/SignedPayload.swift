public import FoundationEssentials
public import JSON

/// One of the things that Apple signs as a JWS: what it has to say for ``SignedPayloadVerifier``.
public protocol SignedPayload: Sendable {
    /// What it is. Something that is recognisably of another kind is refused before it is read.
    static var kind: ArtifactKind { get }

    /// Reads the payload; fields that are not known are no error.
    init(_ object: JSONObject) throws(JSONError)

    /// When it was signed. The certificates have to be valid then, not now.
    var signedDate: Date { get }
    /// Where it comes from; `nil` for what was signed before Apple told, in 2022.
    var environment: AppleEnvironment? { get }
    /// Apple's number of the app; `nil` for kinds that do not tell, and in most of what comes from the sandbox.
    var appAppleID: Int64? { get }
    /// The payload as it was signed; empty for one that was not.
    var signedJSON: [UInt8] { get }
    /// Whether it is for this app. Kinds that do not name an app are for any.
    func isFor(bundleID: String) -> Bool
}

extension SignedPayload {
    /// Transactions and renewal information do not tell.
    public var appAppleID: Int64? { nil }

    /// Everything that was signed, under Apple's names and with members that are not known here.
    ///
    /// Times are milliseconds as they were written; whole numbers beyond 2^53 are texts.
    public var fields: [String: JSONValue] {
        (try? JSONObject(signedJSON, limits: JSONLimits(depth: .max, bytes: .max)))?.values ?? [:]
    }
}

extension JSONObject {
    /// A member that has to be there.
    func required<Value>(
        _ name: String, _ read: (String) throws(JSONError) -> Value?
    ) throws(JSONError) -> Value {
        guard let value = try read(name) else { throw JSONError(.missingMember, path: name) }
        return value
    }

    /// Milliseconds since 1970, with or without a fraction (Xcode), up to the year 9999.
    ///
    /// - Parameter isAnyAge: Whether it may be before 1970: Xcode writes the beginning of the calendar for a date that
    ///   does not apply.
    func date(_ name: String, isAnyAge: Bool = false) throws(JSONError) -> Date? {
        guard let milliseconds = try double(name) else { return nil }
        let latest = 253_402_300_800_000.0
        guard milliseconds >= (isAnyAge ? -latest : 0), milliseconds < latest else {
            throw JSONError(.badValue, path: name)
        }
        return Date(timeIntervalSince1970: milliseconds / 1000)
    }

    /// A sum of money in thousandths. Xcode has been seen to write fractions, which are left out.
    func milliunits(_ name: String) throws(JSONError) -> Int64? {
        guard let number = try double(name), number.magnitude < 9e15 else { return nil }
        return Int64(exactly: number)
    }

    /// Apple's number of an app. Xcode and the sandbox write 0 for none.
    func appleID(_ name: String) throws(JSONError) -> Int64? {
        guard let number = try integer(name), number != 0 else { return nil }
        return Int64(number)
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
