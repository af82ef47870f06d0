internal import Crypto
internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts
internal import StoreSimulator

extension LoadKind {
    /// A server sends the receipt of an old phone for its user: his purchase.
    static let receipt = LoadKind(name: "receipt", share: 5, doors: [.queues]) { world, _ in
        let buyer = world.nextBuyer()
        let transaction = buyer.purchase.latest
        var design = ReceiptDesign(bundleID: world.place.app.rawValue, createdAt: transaction.signedDate)
        design.environment = "Production"
        design.purchases = [ReceiptPurchase(transaction)]
        let claim = TransactionClaim(
            user: world.user(buyer.number),
            originalTransactionID: OriginalTransactionID(rawValue: transaction.originalTransactionID ?? ""),
            product: ProductID(rawValue: world.place.product), trust: .unverified)
        let text = Base64.standard.encode(try world.authority.signReceipt(design))
        return try .command(
            world.submission(text, .receipt, claimedBy: claim), .unlock(person: buyer.number, period: 0))
    }
}
