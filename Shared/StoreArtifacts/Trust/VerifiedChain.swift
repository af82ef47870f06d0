internal import Crypto
internal import FoundationEssentials

/// A signer that has been followed up to a trusted root. Worth keeping: that costs ten times as much as checking a
/// signature of his.
public final class VerifiedChain: Sendable {
    /// What brought the certificates, as it was sent: the header of a JWS, the certificates of a container and who of
    /// them signs.
    let evidence: [UInt8]
    let rootsIdentity: [UInt8]
    let policy: ChainPolicy
    /// The signer's certificate.
    let certificate: Certificate
    let publicKey: PublicKey
    /// When all certificates up to the root are valid; the end does not belong to it.
    let validity: Range<Date>

    /// Follows a signer to the roots.
    ///
    /// - Parameters:
    ///   - others: What came with his certificate, in any order.
    ///   - evidence: What brought them: equal bytes bring the same certificates in the same roles.
    /// - Throws: ``Shortfall``, mostly in the step `chain`, or `CryptoError` when the check could not be made.
    init(
        _ leaf: Certificate, _ others: [Certificate], evidence: some Sequence<UInt8>, roots: TrustRoots,
        policy: ChainPolicy, at date: Date
    ) throws {
        let path =
            switch roots.rule {
            case .appleChain: try Self.applePath(leaf, others, roots: roots, policy: policy, at: date)
            case .selfSigned: try Self.selfSignedPath(leaf, others, roots: roots, policy: policy, at: date)
            }
        let start = path.map(\.notBefore).max() ?? date
        let end = path.map(\.notAfter).min() ?? date
        guard let publicKey = try? leaf.publicKey, policy.keys.contains(publicKey.algorithm) else {
            throw Shortfall(.structure, .badCertificate, "the signer's key is of a kind that this is not signed with")
        }
        self.evidence = Array(evidence)
        self.rootsIdentity = roots.identity
        self.policy = policy
        self.certificate = leaf
        self.publicKey = publicKey
        self.validity = start..<max(start, end)
    }

    /// Whether it is the signer whose certificates come with these bytes, followed to these roots under this policy.
    func isOf(_ evidence: ArraySlice<UInt8>, under roots: TrustRoots, policy: ChainPolicy) -> Bool {
        self.evidence.isSame(as: evidence) && rootsIdentity == roots.identity && self.policy == policy
    }

    /// The answer for a known signer at a date at which one of his certificates is not valid.
    static var expired: Shortfall {
        Shortfall(.chain, .certificateExpired, "a certificate was not valid when this was signed")
    }

    /// Signer, Apple's intermediate if there is one, root: nothing between, nothing left out. A root that came with them
    /// is not looked at: the root is the one that we hold ourselves.
    private static func applePath(
        _ leaf: Certificate, _ others: [Certificate], roots: TrustRoots, policy: ChainPolicy, at date: Date
    ) throws -> [Certificate] {
        let path = try trustedPath(
            leaf, others + roots.intermediates, roots: roots.certificates, policy: policy, at: date)
        guard path.count == policy.length, path[1].isAuthority else {
            throw Shortfall(
                .chain, .untrustedChain, "the path to the root has \(path.count) certificates, not \(policy.length)")
        }
        guard policy.leafMarker.map(leaf.hasExtension) ?? true else {
            throw Shortfall(.chain, .wrongPurpose, "the signer's certificate is for something else")
        }
        guard policy.intermediateMarker.map(path[1].hasExtension) ?? true else {
            throw Shortfall(.chain, .wrongPurpose, "the intermediate is not for developer relations")
        }
        return path
    }

    /// Xcode's certificate is trusted for being listed, or for nothing; it only has to be in order.
    private static func selfSignedPath(
        _ leaf: Certificate, _ others: [Certificate], roots: TrustRoots, policy: ChainPolicy, at date: Date
    ) throws -> [Certificate] {
        guard others.isEmpty else { throw Shortfall(.structure, .chainLength, "not one certificate") }
        guard roots.certificates.isEmpty || roots.certificates.contains(where: { $0.der == leaf.der }) else {
            throw Shortfall(.chain, .untrustedChain, "the certificate is not one of those exported from Xcode")
        }
        return try trustedPath(leaf, [], roots: [leaf], policy: policy, at: date)
    }

    private static func trustedPath(
        _ leaf: Certificate, _ intermediates: [Certificate], roots: [Certificate], policy: ChainPolicy, at date: Date
    ) throws -> [Certificate] {
        let chain = CertificateChain(leaf: leaf, intermediates: intermediates)
        switch try chain.verdict(against: roots, at: date, securityLevel: policy.securityLevel) {
        case .trusted(let path): return path
        case .refused(let refusal):
            let reason: RefusalReason = refusal.isOutsideValidity ? .certificateExpired : .untrustedChain
            throw Shortfall(.chain, reason, refusal.text)
        }
    }
}
