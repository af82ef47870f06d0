import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator

/// Receipts of one authority, which is made once: RSA keys take longer to make than most tests to run.
struct ReceiptSample {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let bundleID = "com.example.app"
    private static let made = Result { try TestAuthority.make() }

    let authority: TestAuthority
    let signer: Signer

    init() throws {
        authority = try Self.made.get()
        signer = try authority.receiptSigner
    }

    var roots: TrustRoots { authority.trustRoots }
    var verifier: ReceiptVerifier { ReceiptVerifier(bundleID: Self.bundleID, roots: roots) }

    /// A receipt, as Apple's unless changed.
    static func design(_ change: (inout ReceiptDesign) -> Void = { _ in }) -> ReceiptDesign {
        var design = ReceiptDesign(bundleID: bundleID, createdAt: now)
        change(&design)
        return design
    }

    func signed(_ change: (inout ReceiptDesign) -> Void = { _ in }) throws -> [UInt8] {
        try authority.signReceipt(Self.design(change))
    }

    /// A container around an ordinary receipt, as Apple's unless changed.
    func contained(_ change: (inout SignedDataDesign) -> Void) throws -> [UInt8] {
        var container = SignedDataDesign(Self.design().payload, signedBy: signer)
        change(&container)
        return try container.encoded()
    }

    func verdict(_ bytes: [UInt8]) throws -> Verdict<SignedReceipt> {
        try verifier.verify(bytes, at: Self.now).verdict
    }

    /// One purchase with these attributes beside the usual ones.
    static func purchase(_ change: (inout ReceiptPurchase) -> Void = { _ in }) -> ReceiptPurchase {
        var purchase = ReceiptPurchase(of: "pro", transactionID: "1000", purchaseDate: now)
        change(&purchase)
        return purchase
    }
}

extension Verdict {
    /// In a few words, to be compared with what is expected.
    var words: String {
        switch self {
        case .verified: "verified"
        case .refused(let step, let reason, _): "\(step.rawValue) \(reason.rawValue)"
        case .retryable(let reason): "retryable \(reason.rawValue)"
        }
    }

    var value: Value? { if case .verified(let value) = self { value } else { nil } }

    var message: String { if case .refused(_, _, let message) = self { message } else { "" } }
}
