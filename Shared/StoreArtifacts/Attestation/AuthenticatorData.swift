/// The authenticator data of WebAuthn (§ 6.1) as App Attest fills it: the part of attestations and assertions that is
/// signed.
///
/// Read from the front, as far as it goes. The flags are not asked what there is: Apple's assertions claim a credential
/// that is not there, and its attestations do not tell of the extensions that are.
struct AuthenticatorData {
    let bytes: [UInt8]
    private static let limits = CBORReader.Limits(bytes: AttestationObject.limit)

    /// SHA-256 of `TEAM.BUNDLE`.
    var appIDHash: ArraySlice<UInt8>? { part(0..<32) }
    /// Bits by WebAuthn; kept, not believed.
    var flags: UInt8? { part(32..<33)?.first }
    /// How often the key has signed.
    var counter: UInt32? { part(33..<37)?.reduce(0) { $0 << 8 | UInt32($1) } }
    /// Which authenticator made the key.
    var aaguid: ArraySlice<UInt8>? { part(37..<53) }
    /// The key's name.
    var credentialID: ArraySlice<UInt8>? {
        guard let count = part(53..<55) else { return nil }
        return part(55..<55 + count.reduce(0) { $0 << 8 | Int($1) })
    }

    /// What stands behind the credential's name: its key as COSE has it, and a map of extensions if there is one.
    func credential() throws(CBORError) -> Credential {
        var reader = try CBORReader(bytes[(credentialID?.endIndex ?? bytes.endIndex)...], limits: Self.limits)
        let key = try reader.map()
        return Credential(x: key[.negative(1)]?.bytes, y: key[.negative(2)]?.bytes, extensions: try reader.lastMap())
    }

    /// What stands behind the counter of an assertion: nothing, or a map of extensions.
    func assertionExtensions() throws(CBORError) -> [CBORValue: CBORValue]? {
        var reader = try CBORReader(bytes.dropFirst(37), limits: Self.limits)
        return try reader.lastMap()
    }

    /// A key with what is said about it.
    struct Credential {
        let x: [UInt8]?
        let y: [UInt8]?
        let extensions: [CBORValue: CBORValue]?

        /// The point as X9.63 has it.
        var point: [UInt8]? { x.flatMap { x in y.map { [4] + x + $0 } } }
    }

    private func part(_ range: Range<Int>) -> ArraySlice<UInt8>? {
        range.upperBound <= bytes.count ? bytes[range] : nil
    }
}

extension CBORReader {
    /// The one map that is left; `nil` if nothing is.
    fileprivate mutating func lastMap() throws(CBORError) -> [CBORValue: CBORValue]? {
        guard !isAtEnd else { return nil }
        let map = try map()
        try end()
        return map
    }
}
