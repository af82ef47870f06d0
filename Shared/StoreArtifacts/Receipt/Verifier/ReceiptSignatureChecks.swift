internal import Crypto
internal import FoundationEssentials

/// Whether whoever says that he has signed leads to a trusted root, over one intermediate, with Apple's markers, at the
/// date of creation. The environment that the receipt claims makes no difference: whoever forges one can choose it.
///
/// Says nothing about whether he did sign.
public struct ReceiptChainCheck: ReceiptCheck {
    private let roots: TrustRoots
    private let policy: ChainPolicy

    /// - Parameters:
    ///   - roots: Who is trusted.
    ///   - demandsIntermediateMarker: `false` only counts below roots that are a test.
    public init(roots: TrustRoots, demandsIntermediateMarker: Bool = true) {
        self.roots = roots
        self.policy = .receipt(demandsIntermediateMarker: demandsIntermediateMarker || !roots.areTest)
    }

    /// `chain`.
    public var step: VerificationStep { .chain }

    /// The chain that is found is to be kept only if ``ReceiptSignatureCheck`` passes, too: a forger can send whatever
    /// genuine certificates he likes.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        try .catching {
            let (chain, isKnown) = try receipt.container.chain(
                under: roots, policy: policy, at: circumstances.certificateDate ?? receipt.receipt.creationDate,
                cache: circumstances.cache)
            return Verification(verdict: .verified(()), chains: isKnown ? [] : [chain])
        }
    }
}

/// Whether the key in the certificate that the receipt names as its signer's has signed it. Whose certificate that is, is
/// up to ``ReceiptChainCheck``.
public struct ReceiptSignatureCheck: ReceiptCheck {
    /// Needs nothing.
    public init() {}

    /// `signature`.
    public var step: VerificationStep { .signature }

    /// Checks the signature over the content, or over attributes that speak of it.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        try .catching {
            let key = try receipt.container.signerKey(found: circumstances.found, cache: circumstances.cache)
            guard try receipt.container.isSigned(by: key) else {
                throw Shortfall(.signature, .badSignature, "the signature is not the signer's")
            }
            return Verification(verdict: .verified(()), chains: [])
        }
    }
}
