public import Crypto
public import FoundationEssentials
internal import JSON

/// A purchase of Google Play or AppCoins to be made: a text, and an RSA signature over its SHA-1.
public struct SignedPurchaseDesign: Sendable {
    /// `nil` in some of Google's.
    public var orderID: String?
    /// The app.
    public var packageName: String
    /// The product.
    public var productID: String
    /// When it was bought.
    public var purchasedAt: Date
    /// Names the purchase at the store.
    public var purchaseToken: String
    /// 0 bought, 1 cancelled, 2 pending.
    public var state: Int64 = 0
    /// What the app gave to the store; `nil`: not in it.
    public var developerPayload: String? = ""
    /// Whether it renews; `nil`: not in it, as for what is bought once.
    public var autoRenewing: Bool?
    /// In the place of the text.
    public var text: String?
    /// AppCoins and Google know no other than SHA-1.
    public var digest = Digest.Algorithm.sha1

    /// A purchase as AppCoins makes it.
    public init(
        packageName: String, productID: String, purchaseToken: String, orderID: String?, purchasedAt: Date
    ) {
        self.packageName = packageName
        self.productID = productID
        self.purchaseToken = purchaseToken
        self.orderID = orderID
        self.purchasedAt = purchasedAt
    }

    /// What is signed, to the byte.
    public func signedText() throws -> String {
        if let text { return text }
        var members: [(String, JSONValue)] = []
        if let orderID { members.append(("orderId", .string(orderID))) }
        members += [
            ("packageName", .string(packageName)), ("productId", .string(productID)),
            ("purchaseTime", .integer(purchasedAt.milliseconds)), ("purchaseToken", .string(purchaseToken)),
            ("purchaseState", .integer(state)),
        ]
        if let developerPayload { members.append(("developerPayload", .string(developerPayload))) }
        if let autoRenewing { members.append(("autoRenewing", .boolean(autoRenewing))) }
        // Not sorted: nobody may take the text apart and write it again.
        let texts = try members.map { name, value in
            "\"\(name)\":\(String(decoding: try JSONCoding.encode(value), as: UTF8.self))"
        }
        return "{\(texts.joined(separator: ","))}"
    }
}

/// A purchase of Google Play or AppCoins, as an app gets it.
public struct PurchaseArtifact: Sendable, Encodable {
    /// What is signed, to the byte.
    public let signedData: String
    /// Base64.
    public let signature: String
    /// SubjectPublicKeyInfo in base64, to be set at the app.
    public let publicKey: String

    private enum CodingKeys: String, CodingKey {
        case signedData = "signed_data"
        case publicKey = "public_key"
        case signature
    }
}

extension TestAuthority {
    /// Signs a purchase with ``purchaseKey``.
    public func signPurchase(_ purchase: SignedPurchaseDesign) throws -> PurchaseArtifact {
        let text = try purchase.signedText()
        let key = try purchaseKey
        return PurchaseArtifact(
            signedData: text,
            signature: Base64.standard.encode(try key.signature(over: Array(text.utf8), digest: purchase.digest)),
            publicKey: Base64.standard.encode(try key.publicKey.der))
    }
}
