internal import Crypto

/// Tells whether an assertion was made by an attested key, for this app and this request, after all that it made
/// before.
///
/// The steps, in this order: `cbor`, `signature`, `app_id`, `counter`. A value without state and without a clock.
public struct AssertionVerifier: Sendable {
    private let appID: String?

    /// - Parameter appID: `TEAM.BUNDLE`, compared exactly; `nil` does not compare.
    public init(appID: String?) { self.appID = appID }

    /// Verifies an assertion object.
    ///
    /// - Parameters:
    ///   - bytes: CBOR, as the device made it.
    ///   - publicKey: The attested key, as a point (X9.63) or as SubjectPublicKeyInfo in DER. `nil` is refused.
    ///   - clientData: The request that it was made for. `nil` is refused.
    ///   - lastCounter: The counter of the assertion before this one, 0 if there was none; `nil` does not compare.
    /// - Throws: `CryptoError` when a check could not be made. No bytes bring that about.
    public func verify(
        _ bytes: [UInt8], publicKey: [UInt8]?, clientData: ClientData?, lastCounter: UInt32?
    ) throws -> Verdict<Assertion> {
        do {
            let object = try AssertionObject(bytes)
            try checkSignature(of: object, by: publicKey, over: clientData)
            try object.authenticatorData.check(appID: appID)
            if let lastCounter, object.assertion.counter <= lastCounter {
                throw Shortfall(
                    .counter, .counter, "the counter is \(object.assertion.counter), not above \(lastCounter)")
            }
            return .verified(object.assertion)
        } catch let shortfall as Shortfall {
            return .refused(step: shortfall.step, reason: shortfall.reason, message: shortfall.message)
        }
    }

    private func checkSignature(
        of object: AssertionObject, by publicKey: [UInt8]?, over clientData: ClientData?
    ) throws {
        guard let key = try? publicKey.map(PublicKey.init(attested:)), key.algorithm == .p256 else {
            throw Shortfall(.signature, .badKey, "the attested key is not known, or is none of P-256")
        }
        guard let clientData else {
            throw Shortfall(.signature, .badSignature, "what it was made for (the client data) is not known")
        }
        // The nonce is a digest already, and is hashed once more: that is how Apple's devices sign.
        let isSigned = try clientData.hashes.contains { hash in
            let nonce = Digest.sha256(object.authenticatorData.bytes + hash)
            return try key.isValid(derSignature: object.signature, over: nonce)
        }
        guard isSigned else {
            throw Shortfall(.signature, .badSignature, "not signed by this key, or for another request")
        }
    }
}

extension PublicKey {
    /// From a point (X9.63) or from SubjectPublicKeyInfo in DER: their first bytes tell them apart.
    convenience init(attested bytes: [UInt8]) throws(CryptoError) {
        if bytes.first == 0x04 { try self.init(x963: bytes) } else { try self.init(der: bytes) }
    }
}
