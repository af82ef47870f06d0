internal import Crypto
public import FoundationEssentials
internal import JSON

/// Tells whether a purchase of Google Play or AppCoins was signed with an app's key.
///
/// The signature is RSASSA-PKCS1-v1_5 with SHA-1 over the data as it was transported, and nothing else. Whether the
/// token was shown by somebody else before has to be told by whoever keeps tokens. A value without state and without a
/// clock; safe to use from many tasks at once.
public struct SignedPurchaseVerifier: Sendable {
    /// How long an app's key has to be, in bits. Keys of Google's and AppCoins' consoles have 2048.
    public static let leastBits = 2048
    /// How long a key may be that comes with the purchase: it proves that the parts belong together and no more, which
    /// those of before 2013 do as well.
    public static let leastBitsOfOwnKey = 1024
    /// How far the clocks of the store and ours may differ.
    public static let clockTolerance: TimeInterval = 60
    /// The longest envelope that is looked at, in bytes.
    public static let limit = 64 * 1024

    /// What is looked at, in this order. In which state the purchase is does not decide: see ``SignedPurchase/state``.
    public static let steps: [VerificationStep] = [.structure, .key, .signature, .data, .package, .product, .token]

    private let keys: Keys
    private let believesOwnKey: Bool
    private let packageName: String?
    private let productID: String?
    private let purchaseToken: String?

    /// - Parameters:
    ///   - keys: The app's keys, SubjectPublicKeyInfo in DER: several while one is replaced, and for several stores.
    ///   - leastBits: How long they have to be.
    ///   - believesOwnKey: Whether a key that comes with the purchase is taken if there are no ``keys``.
    ///   - packageName: The app, compared exactly; `nil` accepts any.
    ///   - productID: The product that was asked for, compared exactly; `nil` accepts any.
    ///   - purchaseToken: The purchase that was asked for, compared exactly; `nil` accepts any.
    public init(
        keys: [[UInt8]], leastBits: Int = Self.leastBits, believesOwnKey: Bool = false, packageName: String? = nil,
        productID: String? = nil, purchaseToken: String? = nil
    ) {
        self.keys = Keys(keys, leastBits: leastBits)
        self.believesOwnKey = believesOwnKey && keys.isEmpty
        self.packageName = packageName
        self.productID = productID
        self.purchaseToken = purchaseToken
    }

    /// Verifies a purchase in its JSON, see ``PurchaseEnvelope``.
    ///
    /// - Parameter now: Against which the time of the purchase is in the future.
    /// - Throws: `CryptoError` when the check could not be made. No purchase brings that about.
    public func verify(_ json: [UInt8], at now: Date) throws -> Verdict<SignedPurchase> {
        do {
            return try verdict(on: try PurchaseEnvelope(json, limit: Self.limit), at: now)
        } catch let shortfall as Shortfall {
            return Verdict(refusedFor: shortfall)
        }
    }

    /// Verifies a purchase.
    ///
    /// - Throws: As ``verify(_:at:)-([UInt8],_)`` does.
    public func verify(_ envelope: PurchaseEnvelope, at now: Date) throws -> Verdict<SignedPurchase> {
        do {
            return try verdict(on: envelope, at: now)
        } catch let shortfall as Shortfall {
            return Verdict(refusedFor: shortfall)
        }
    }

    private func verdict(on envelope: PurchaseEnvelope, at now: Date) throws -> Verdict<SignedPurchase> {
        guard envelope.signedData.utf8.count <= Self.limit else {
            throw Shortfall.malformed("longer than \(Self.limit) bytes")
        }
        let signedData = Array(envelope.signedData.utf8)
        try checkSignature(envelope, over: signedData)
        let purchase: SignedPurchase
        do {
            purchase = try SignedPurchase(signedData)
        } catch {
            throw Shortfall(.data, .malformed, "signed data: \(error)")
        }
        if let packageName, !purchase.packageName.utf8.elementsEqual(packageName.utf8) {
            throw Shortfall(.package, .wrongApp, "not for the app \(packageName)")
        }
        for productID in [productID, envelope.productID] {
            if let productID, !purchase.productID.utf8.elementsEqual(productID.utf8) {
                throw Shortfall(.product, .wrongPurpose, "of another product than was asked for")
            }
        }
        for token in [purchaseToken, envelope.purchaseToken] {
            if let token, !purchase.purchaseToken.utf8.elementsEqual(token.utf8) {
                throw Shortfall(.token, .nonceMismatch, "another purchase than the one that was asked for")
            }
        }
        guard purchase.purchaseTime <= now + Self.clockTolerance else { return .retryable(.signedInFuture) }
        return .verified(purchase)
    }

    private func checkSignature(_ envelope: PurchaseEnvelope, over signedData: [UInt8]) throws {
        var keys = keys
        if believesOwnKey {
            guard let text = envelope.publicKey else { throw Shortfall(.key, .badKey, "no key to verify it with") }
            keys = Keys([KeyText.decode(text) ?? []], leastBits: Self.leastBitsOfOwnKey)
        }
        guard !keys.usable.isEmpty else { throw Shortfall(.key, .badKey, keys.fault) }
        guard let signature = Base64.standard.decode(envelope.signature.utf8) else {
            throw Shortfall(
                .signature, .badSignature, "the signature is not Base64 with padding and without line breaks")
        }
        let fitting = keys.usable.filter { signature.count == ($0.bitCount + 7) / 8 }
        guard !fitting.isEmpty else {
            throw Shortfall(.signature, .badSignature, "the signature is not as long as the key")
        }
        guard
            try fitting.contains(where: { try $0.isValid(pkcs1Signature: signature, over: signedData, digest: .sha1) })
        else { throw Shortfall(.signature, .badSignature, "the signature is not by the app's key, or of other data") }
    }
}

/// Keys that can verify, and what is wrong if there are none.
private struct Keys: Sendable {
    private(set) var usable: [PublicKey] = []
    private(set) var fault = "no key to verify it with"

    init(_ keys: [[UInt8]], leastBits: Int) {
        for der in keys {
            guard let key = try? PublicKey(der: der), key.algorithm == .rsa else {
                fault = "the key is no RSA key (SubjectPublicKeyInfo)"
                continue
            }
            guard key.bitCount >= leastBits else {
                fault = "the key has \(key.bitCount) bits, fewer than \(leastBits)"
                continue
            }
            usable.append(key)
        }
    }
}
