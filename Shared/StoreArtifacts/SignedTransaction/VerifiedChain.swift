internal import Crypto
internal import FoundationEssentials

/// A signer that has been followed up to a trusted root. Worth keeping: that costs ten times as much as checking a
/// signature of his.
public final class VerifiedChain: Sendable {
    /// The header that brought the certificates, as it was sent.
    let encodedHeader: [UInt8]
    let rootsIdentity: [UInt8]
    let publicKey: PublicKey
    /// When all certificates up to the root are valid; the end does not belong to it.
    let validity: Range<Date>

    /// Follows the certificates of a header to the roots.
    ///
    /// - Throws: ``Shortfall`` in the step `chain`, or `CryptoError` when the check could not be made.
    init(_ header: SigningHeader, encodedHeader: ArraySlice<UInt8>, roots: TrustRoots, at date: Date) throws {
        let path =
            switch roots.rule {
            case .appleChain: try Self.applePath(header.certificates, roots: roots, at: date)
            case .selfSigned: try Self.selfSignedPath(header.certificates, roots: roots, at: date)
            }
        let start = path.map(\.notBefore).max() ?? date
        let end = path.map(\.notAfter).min() ?? date
        guard let publicKey = try? path.first?.publicKey, publicKey.algorithm == .p256 else {
            throw Shortfall(.structure, .badCertificate, "the signer's key is not P-256")
        }
        self.encodedHeader = Array(encodedHeader)
        self.rootsIdentity = roots.identity
        self.publicKey = publicKey
        self.validity = start..<max(start, end)
    }

    /// Whether it is the signer who sends this header, followed to these roots.
    func isOf(header: ArraySlice<UInt8>, under roots: TrustRoots) -> Bool {
        encodedHeader.isSame(as: header) && rootsIdentity == roots.identity
    }

    /// Signer, Apple's intermediate, root: nothing between, nothing left out. The third certificate of the header is
    /// not looked at: the root is the one that we hold ourselves.
    private static func applePath(
        _ certificates: [Certificate], roots: TrustRoots, at date: Date
    ) throws -> [Certificate] {
        guard certificates.count == 3 else { throw Shortfall(.structure, .chainLength, "not three certificates") }
        let (leaf, intermediate) = (certificates[0], certificates[1])
        let path = try trustedPath(leaf, [intermediate], roots: roots.certificates, at: date)
        guard path.count == 3, intermediate.isAuthority else {
            throw Shortfall(.chain, .untrustedChain, "the path to the root has \(path.count) certificates, not 3")
        }
        guard leaf.hasExtension(AppleMarker.receiptSigning) else {
            throw Shortfall(.chain, .wrongPurpose, "the signer is not for purchases")
        }
        guard intermediate.hasExtension(AppleMarker.developerRelations) else {
            throw Shortfall(.chain, .wrongPurpose, "the intermediate is not for developer relations")
        }
        return path
    }

    /// Xcode's certificate is trusted for being listed, or for nothing; it only has to be in order.
    private static func selfSignedPath(
        _ certificates: [Certificate], roots: TrustRoots, at date: Date
    ) throws -> [Certificate] {
        guard certificates.count == 1 else { throw Shortfall(.structure, .chainLength, "not one certificate") }
        guard roots.certificates.isEmpty || roots.certificates.contains(where: { $0.der == certificates[0].der }) else {
            throw Shortfall(.chain, .untrustedChain, "the certificate is not one of those exported from Xcode")
        }
        return try trustedPath(certificates[0], [], roots: certificates, at: date)
    }

    private static func trustedPath(
        _ leaf: Certificate, _ intermediates: [Certificate], roots: [Certificate], at date: Date
    ) throws -> [Certificate] {
        let chain = CertificateChain(leaf: leaf, intermediates: intermediates)
        switch try chain.verdict(against: roots, at: date) {
        case .trusted(let path): return path
        case .refused(let refusal):
            let reason: RefusalReason = refusal.isOutsideValidity ? .certificateExpired : .untrustedChain
            throw Shortfall(.chain, reason, refusal.text)
        }
    }
}
