public import Crypto
public import StoreArtifacts

extension TestAuthority {
    /// Signs a transaction as StoreKit hands it out: a compact JWS.
    public func signTransaction(_ payload: TransactionPayload) throws -> String {
        try sign(try payload.json())
    }

    /// Signs renewal information as Apple's server hands it out.
    public func signRenewal(_ payload: RenewalPayload) throws -> String {
        try sign(try payload.json())
    }

    /// Signs any payload, JSON or not.
    public func sign(_ payload: [UInt8]) throws -> String {
        try sign("\(encodedHeader).\(Base64.url.encode(payload))")
    }

    /// Signs under a header of one's own, to see it refused.
    public func sign(_ payload: [UInt8], header: String) throws -> String {
        try sign("\(Base64.url.encode(header.utf8)).\(Base64.url.encode(payload))")
    }

    /// The header of what Apple signs, with these certificates in it, signer first.
    public static func header(certificates: [Certificate], algorithm: String = "ES256") -> String {
        let texts = certificates.map { "\"\(Base64.standard.encode($0.der))\"" }
        return "{\"alg\":\"\(algorithm)\",\"x5c\":[\(texts.joined(separator: ","))]}"
    }

    private func sign(_ input: String) throws -> String {
        "\(input).\(Base64.url.encode(try leafSigner.key.rawSignature(over: input.utf8)))"
    }
}
