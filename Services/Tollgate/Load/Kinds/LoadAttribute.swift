internal import Messages
internal import StoreArtifacts
internal import StoreSimulator

extension LoadKind {
    /// A phone sends what the store has signed for its user: his purchase.
    static let attribute = LoadKind(name: "attribute", share: 30, doors: [.http, .queues]) { world, door in
        let buyer = world.nextBuyer()
        return try world.attribution(
            of: buyer.purchase.latest, to: buyer.number, through: door, .unlock(person: buyer.number, period: 0))
    }
}

extension LoadWorld {
    /// A signed transaction, claimed by a person.
    func attribution(
        of transaction: TransactionPayload, to person: Int, through door: LoadKind.Door, isForged: Bool = false,
        _ purpose: LoadMessage.Purpose
    ) throws -> LoadMessage {
        var jws = try authority.signTransaction(transaction)
        if isForged { jws = Self.forged(jws) }
        let original = transaction.originalTransactionID ?? ""
        switch door {
        case .http:
            return try .post(
                "/api/sdk/v1/attribute",
                AttributeBody(
                    appUserId: user(person).rawValue, bundleId: place.app.rawValue, originalTransactionId: original,
                    productId: place.product, jws: jws), purpose)
        case .queues:
            let claim = TransactionClaim(
                user: user(person), originalTransactionID: OriginalTransactionID(rawValue: original),
                product: ProductID(rawValue: place.product), trust: .unverified)
            return try .command(submission(jws, .transaction, claimedBy: claim), purpose)
        }
    }

    /// Another letter in the middle of the signature: whole bits change, whatever the last letter leaves unused.
    private static func forged(_ jws: String) -> String {
        var bytes = Array(jws.utf8)
        let place = bytes.count - 20
        guard bytes.indices.contains(place) else { return jws }
        bytes[place] = bytes[place] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return String(decoding: bytes, as: UTF8.self)
    }
}

private struct AttributeBody: Encodable {
    let appUserId: String
    let bundleId: String
    let originalTransactionId: String
    let productId: String
    let jws: String
}
