public import Crypto

/// An assertion to be made: as a device's, unless something is changed.
public struct AssertionDesign: Sendable {
    /// For which app.
    public var appID: String
    /// Says that there is a credential, which there is not: so do devices.
    public var flags: UInt8 = 0x40
    /// Which assertion of this key it is.
    public var counter: UInt32
    /// The hash of the request that is signed.
    public var signedHash: [UInt8]
    /// Who signs.
    public var key: PrivateKey
    /// In the place of the signature.
    public var signature: [UInt8]?
    /// CBOR behind the counter.
    public var extensions: [UInt8] = []
    /// Members left out: `signature`, `authenticatorData`.
    public var missingMembers: Set<String> = []
    /// Behind its end.
    public var trailing: [UInt8] = []

    init(appID: String, counter: UInt32, signedHash: [UInt8], key: PrivateKey) {
        self.appID = appID
        self.counter = counter
        self.signedHash = signedHash
        self.key = key
    }

    func encoded() throws -> [UInt8] {
        let authenticatorData = Digest.sha256(appID.utf8) + [flags] + counter.bigEndianBytes + extensions
        // ECDSA hashes it once more.
        let nonce = Digest.sha256(authenticatorData + signedHash)
        let signature = try signature ?? key.signature(over: nonce)
        let members = [("signature", signature), ("authenticatorData", authenticatorData)]
            .filter { !missingMembers.contains($0.0) }
        return CBORWriter.map(members.map { (CBORWriter.text($0.0), CBORWriter.bytes($0.1)) }) + trailing
    }
}
