internal import Crypto

extension Recognition {
    /// SignedData of PKCS#7, by its object identifier.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    /// The mark of the certificates that sign App Attest receipts, 1.2.840.113635.100.12.15.
    private static let attestReceiptSigner: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x0C, 0x0F,
    ]

    /// A SEQUENCE of ASN.1: PKCS#7, a certificate, a public key.
    static func distinguished(_ input: ArraySlice<UInt8>) -> RecognisedArtifact? {
        // Tag, length, content; nothing behind the length octets has to be there yet.
        guard let length = input.dropFirst().first else { return nil }
        let header = length <= 0x80 ? 2 : 2 + Int(length & 0x7F)
        if input.dropFirst(header).starts(with: signedData) { return signed(input) }
        let bytes = Array(input)
        if (try? Certificate(der: bytes)) != nil { return RecognisedArtifact(.certificate, bytes) }
        if (try? PublicKey(der: bytes)) != nil {
            return RecognisedArtifact(.unknown, bytes, description: "a public key")
        }
        return nil
    }

    /// Both kinds of receipts are of the same make; who signed them tells which it is. That certificate is never cut
    /// into segments as the content may be.
    private static func signed(_ input: ArraySlice<UInt8>) -> RecognisedArtifact {
        let isAttestation = input.contains(attestReceiptSigner)
        return RecognisedArtifact(isAttestation ? .attestationReceipt : .receipt, Array(input))
    }

    /// A map of CBOR whose first key is one of App Attest's (their order is not fixed).
    static func cborMap(_ input: ArraySlice<UInt8>) -> RecognisedArtifact? {
        let appAttest: Set<ArtifactKind> = [.attestation, .assertion]
        guard let first = input.first else { return nil }
        // Behind the head stand at most 8 bytes of a length; one byte of head and up to 23 letters make the key.
        let rest = input.dropFirst(first & 0x1F < 24 || first == 0xBF ? 1 : 1 + 1 << Int(min(first & 0x1F - 24, 3)))
        guard let head = rest.first, 0x60...0x77 ~= head else {
            return input.count == 1
                ? RecognisedArtifact(.unknown, Array(input), candidates: appAttest, description: "an empty CBOR map")
                : nil
        }
        switch String(decoding: rest.dropFirst().prefix(Int(head & 0x1F)), as: UTF8.self) {
        case "fmt", "attStmt", "authData": return RecognisedArtifact(.attestation, Array(input))
        case "signature", "authenticatorData": return RecognisedArtifact(.assertion, Array(input))
        default: return nil
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether `pattern` occurs in it; in time linear in both, for patterns as short as ours.
    func contains(_ pattern: [UInt8]) -> Bool {
        var rest = self
        while let start = rest.firstIndex(of: pattern[0]) {
            rest = rest[start...]
            if rest.starts(with: pattern) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
