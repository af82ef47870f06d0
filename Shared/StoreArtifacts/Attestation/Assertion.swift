public import JSON

/// What an assertion says: that the holder of an attested key made a request.
public struct Assertion: Sendable, Hashable {
    /// How often the key has signed, this time included. To be kept: the next one has to be higher.
    public let counter: UInt32
    /// Bits by WebAuthn, as they were sent; they claim a credential that is not there.
    public let flags: UInt8
    /// What stands behind the counter, by name, with bytes in hexadecimal; `nil` if there is nothing.
    public let extensions: [String: JSONValue]?

    /// Reads an assertion object. Nothing of it is verified, and nothing to be believed; `nil` if it cannot be read.
    public init?(unverified bytes: [UInt8]) {
        guard let object = try? AssertionObject(bytes) else { return nil }
        self = object.assertion
    }

    init(counter: UInt32, flags: UInt8, extensions: [String: JSONValue]?) {
        self.counter = counter
        self.flags = flags
        self.extensions = extensions
    }

    /// What it says, in the names of reports.
    public var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = ["counter": .integer(Int64(counter)), "flags": .integer(Int64(flags))]
        fields["extensions"] = extensions.map(JSONValue.object)
        return fields
    }
}

/// An assertion object in its parts, of which nothing is verified yet.
struct AssertionObject {
    /// Genuine ones have some 150 bytes.
    private static let limit = 16 * 1024

    let signature: [UInt8]
    let authenticatorData: AuthenticatorData
    let assertion: Assertion

    /// Takes it apart: the step `cbor`.
    init(_ bytes: [UInt8]) throws(Shortfall) {
        let extensions: [CBORValue: CBORValue]?
        do {
            let object = try CBORReader.map(bytes[...], limits: CBORReader.Limits(bytes: Self.limit))
            guard let signature = object[.text("signature")]?.bytes,
                let data = object[.text("authenticatorData")]?.bytes
            else { throw Shortfall(.cbor, .malformed, "no signature or no authenticatorData") }
            self.signature = signature
            authenticatorData = AuthenticatorData(bytes: data)
            extensions = try authenticatorData.assertionExtensions()
        } catch let shortfall as Shortfall {
            throw shortfall
        } catch {
            throw Shortfall(.cbor, .malformed, "\(error)")
        }
        guard let counter = authenticatorData.counter, let flags = authenticatorData.flags else {
            throw Shortfall(.cbor, .malformed, "the authenticator data is too short")
        }
        assertion = Assertion(counter: counter, flags: flags, extensions: extensions.map(CBORValue.object))
    }
}
