internal import JSON

/// A signed purchase on its way: what was signed, and the signature. Nothing of it is verified.
public struct PurchaseEnvelope: Hashable, Sendable {
    /// What was signed, to the letter. JSON, but whoever writes it anew breaks the signature.
    public var signedData: String
    /// The signature in Base64.
    public var signature: String
    /// A key that came with it, in any spelling. Proves nothing about who signed.
    public var publicKey: String?
    /// Which purchase it is said to be, as in AppCoins' purchase objects.
    public var purchaseToken: String?
    /// Of which product it is said to be, likewise.
    public var productID: String?

    /// Puts both together.
    public init(signedData: String, signature: String, publicKey: String? = nil) {
        self.signedData = signedData
        self.signature = signature
        self.publicKey = publicKey
    }

    /// Reads `{"signed_data": "…", "signature": "…", "public_key": "…"}` (or `signedData`, `publicKey`), or a purchase
    /// object as AppCoins' server has it: `{"uid": …, "sku": …, "verification": {"data": "…", "signature": "…"}}`.
    ///
    /// - Parameter limit: The longest text that is looked at, in bytes.
    init(_ json: [UInt8], limit: Int) throws(Shortfall) {
        do {
            let object = try JSONObject(json, limits: JSONLimits(depth: 8, bytes: limit))
            if let verification = try object.object("verification") {
                signedData = try verification.required("data", verification.string)
                signature = try verification.required("signature", verification.string)
                purchaseToken = try object.string("uid")
                productID = try object.string("sku")
            } else {
                let name = object.range(of: "signedData") == nil ? "signed_data" : "signedData"
                signedData = try object.required(name, object.string)
                signature = try object.required("signature", object.string)
            }
            publicKey = try object.string(object.range(of: "publicKey") == nil ? "public_key" : "publicKey")
        } catch {
            let isRewritten = error.problem == .wrongType && ["signed_data", "signedData", "data"].contains(error.path)
            throw .malformed(isRewritten ? "\(error): it has to be a text, exactly as it was signed" : "\(error)")
        }
    }
}
