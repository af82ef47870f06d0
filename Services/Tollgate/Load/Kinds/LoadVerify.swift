internal import Messages
internal import StoreSimulator

extension LoadKind {
    /// A server asks whether the purchase of somebody who bought lately is genuine.
    static let verify = LoadKind(name: "verify", share: 5, doors: [.http]) { world, _ in
        guard let key = world.place.key, let buyer = world.someBuyer() else { return nil }
        let body = VerifyBody(
            bundleId: world.place.app.rawValue, artifact: try world.authority.signTransaction(buyer.purchase.latest))
        return try .post("/api/v1/verify", body, .tell, headers: ["Authorization": "Bearer \(key)"])
    }
}

private struct VerifyBody: Encodable {
    let bundleId: String
    var kind = "transaction"
    let artifact: String
}
