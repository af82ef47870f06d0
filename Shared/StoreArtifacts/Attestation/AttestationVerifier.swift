internal import Crypto
public import FoundationEssentials

/// Tells whether an attestation object is Apple's word that a key lives in a genuine device's genuine copy of an app.
///
/// The nine steps of Apple's "Validating apps that connect to your server", in this order: `cbor`, `format`, `chain`,
/// `nonce`, `key_id`, `app_id`, `counter`, `environment`, `credential_id`, `public_key`. A value without state and
/// without a clock; whether the challenge is still good is up to the caller.
public struct AttestationVerifier: Sendable {
    private let appID: String?
    private let environments: Set<AttestedEnvironment>?
    private let roots: TrustRoots
    private let receiptVerifier: AttestationReceiptVerifier

    /// - Parameters:
    ///   - appID: `TEAM.BUNDLE`, compared exactly; `nil` does not compare.
    ///   - environments: What is accepted; `nil` accepts both and leaves it to the caller to look.
    ///   - roots: Who may certify devices.
    ///   - receiptRoots: Who may sign the receipts in attestations.
    public init(
        appID: String?, environments: Set<AttestedEnvironment>? = nil, roots: TrustRoots, receiptRoots: TrustRoots
    ) {
        self.appID = appID
        self.environments = environments
        self.roots = roots
        self.receiptVerifier = AttestationReceiptVerifier(appID: appID, roots: receiptRoots)
    }

    /// Verifies an attestation object and, if it is what it should be, the receipt in it.
    ///
    /// - Parameters:
    ///   - bytes: CBOR, as the device made it.
    ///   - keyID: The key that it is said to be of; `nil` does not compare.
    ///   - clientData: What it was made for. Without it nothing binds what the device says to Apple's word, so that
    ///     `nil` is refused.
    ///   - date: At which the certificates have to be valid: now, since those of devices live for days.
    ///   - cache: Is read for those who signed, never written, see ``Verification/chains``.
    /// - Throws: `CryptoError` when a check could not be made. No bytes bring that about.
    public func verify(
        _ bytes: [UInt8], keyID: [UInt8]?, clientData: ClientData?, at date: Date, cache: ChainCache? = nil
    ) throws -> Verification<VerifiedAttestation> {
        do {
            let object = try AttestationObject(bytes)
            let (device, authority) = try device(object.certificates(), at: date, cache: cache)
            let attestation = try attestation(object, of: device, keyID: keyID, clientData: clientData)
            let receipt = try receiptVerifier.verify(
                attestation.receipt, publicKey: attestation.publicKey, at: date, cache: cache)
            return Verification(
                verdict: .verified(VerifiedAttestation(attestation: attestation, receipt: receipt.verdict)),
                chains: (authority.map { [$0] } ?? []) + receipt.chains)
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
    }

    private func attestation(
        _ object: AttestationObject, of device: DeviceCertificate, keyID: [UInt8]?, clientData: ClientData?
    ) throws -> Attestation {
        try checkNonce(of: device, over: object.authenticatorData.bytes, clientData)
        // From here on what the device says is known to be what Apple has vouched for.
        guard keyID == nil || keyID == device.keyID else {
            throw Shortfall(.keyID, .keyIDMismatch, "of another key")
        }
        let data = object.authenticatorData
        try data.check(appID: appID)
        guard let counter = data.counter else { throw Shortfall(.counter, .malformed, "the counter is missing") }
        guard counter == 0 else { throw Shortfall(.counter, .counter, "the counter is \(counter), not 0") }
        try checkEnvironment(data.aaguid)
        guard let credentialID = data.credentialID else {
            throw Shortfall(.credentialID, .malformed, "the credential is missing")
        }
        guard credentialID.elementsEqual(device.keyID) else {
            throw Shortfall(.credentialID, .keyIDMismatch, "the credential is another key")
        }
        let credential: AuthenticatorData.Credential
        do {
            credential = try data.credential()
        } catch {
            throw Shortfall(.publicKey, .malformed, "behind the credential: \(error)")
        }
        guard credential.point == device.point, let attestation = Attestation(object, device, credential) else {
            throw Shortfall(.publicKey, .keyIDMismatch, "the public key is not the one that is certified")
        }
        return attestation
    }

    /// The device's certificate, followed to the authority that signed it, and the authority to a root.
    private func device(
        _ encoded: [[UInt8]], at date: Date, cache: ChainCache?
    ) throws -> (device: DeviceCertificate, authority: VerifiedChain?) {
        // Others than the first two are not needed, and no less wrong for it.
        let known = cache?.chain(for: encoded[1][...], under: roots, policy: .deviceAuthority)
        if let known, encoded.count == 2, let plain = PlainCertificate(der: encoded[0]),
            try plain.isVouchedFor(by: known, at: date)
        {
            return (DeviceCertificate(plain), nil)
        }
        let leaf = try certificate(encoded[0])
        let others = try encoded.dropFirst(2).map(certificate)
        let authority = try known ?? authority(encoded[1], others, at: date)
        guard authority.validity.contains(date) else { throw VerifiedChain.expired }
        let chain = CertificateChain(leaf: leaf, intermediates: [])
        switch try chain.verdict(against: [authority.certificate], at: date, endsAtAnyRoot: true) {
        case .trusted: return (try DeviceCertificate(leaf), known == nil ? authority : nil)
        case .refused(let refusal):
            let reason: RefusalReason = refusal.isOutsideValidity ? .certificateExpired : .untrustedChain
            throw Shortfall(.chain, reason, refusal.text)
        }
    }

    private func authority(_ encoded: [UInt8], _ others: [Certificate], at date: Date) throws -> VerifiedChain {
        let certificate = try certificate(encoded)
        // Xcode vouches for no devices, whoever may have signed for it.
        guard roots.rule == .appleChain else {
            throw Shortfall(.chain, .untrustedChain, "no roots that certify devices")
        }
        return try VerifiedChain(
            certificate, others, evidence: encoded, roots: roots, policy: .deviceAuthority, at: date)
    }

    private func certificate(_ encoded: [UInt8]) throws(Shortfall) -> Certificate {
        guard let certificate = try? Certificate(der: encoded) else {
            throw Shortfall(.chain, .badCertificate, "x5c holds something that is no certificate")
        }
        return certificate
    }

    private func checkNonce(
        of device: DeviceCertificate, over authenticatorData: [UInt8], _ clientData: ClientData?
    ) throws(Shortfall) {
        let nonce = try device.nonce()
        guard let clientData else {
            throw Shortfall(.nonce, .nonceMismatch, "what it was made for (the client data) is not known")
        }
        guard clientData.hashes.contains(where: { Digest.sha256(authenticatorData + $0) == nonce }) else {
            throw Shortfall(.nonce, .nonceMismatch, "made for another challenge, or changed since")
        }
    }

    private func checkEnvironment(_ aaguid: ArraySlice<UInt8>?) throws(Shortfall) {
        guard let aaguid else { throw Shortfall(.environment, .malformed, "the environment is missing") }
        guard let environment = AttestedEnvironment(aaguid: aaguid) else {
            throw Shortfall(.environment, .wrongEnvironment, "from an environment that is not known")
        }
        guard environments?.contains(environment) ?? true else {
            throw Shortfall(.environment, .wrongEnvironment, "from the environment \(environment.rawValue)")
        }
    }
}

extension AuthenticatorData {
    /// The step `app_id`.
    func check(appID: String?) throws(Shortfall) {
        guard let appIDHash else { throw Shortfall(.appID, .malformed, "the app is missing") }
        guard let appID else { return }
        guard appIDHash.elementsEqual(Digest.sha256(appID.utf8)) else {
            throw Shortfall(.appID, .wrongApp, "not of the app \(appID)")
        }
    }
}

extension ChainPolicy {
    /// Who certifies devices. The certificates that they sign carry no marker but the nonce.
    fileprivate static let deviceAuthority = ChainPolicy(
        length: 2, leafMarker: nil, intermediateMarker: nil, keys: [.p256, .p384], securityLevel: 2)
}
