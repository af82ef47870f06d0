public import FoundationEssentials
public import StoreArtifacts

/// One purchase in a receipt.
public struct ReceiptPurchase: Sendable {
    /// 1701.
    public var quantity: Int64 = 1
    /// 1702.
    public var productID: String
    /// 1703.
    public var transactionID: String
    /// 1704.
    public var purchaseDate: Date
    /// 1705.
    public var originalTransactionID: String?
    /// 1706. Later than ``purchaseDate`` in some genuine receipts.
    public var originalPurchaseDate: Date?
    /// 1707: 0 non-consumable, 1 consumable, 2 non-renewing, 3 auto-renewable.
    public var productType: Int64?
    /// 1708; written as the empty text if there is none.
    public var expiresDate: Date?
    /// 1711.
    public var webOrderLineItemID: Int64?
    /// 1712; written as the empty text if there is none. Set by a refund, and by an upgrade.
    public var cancellationDate: Date?
    /// 1713.
    public var isTrialPeriod = false
    /// 1719.
    public var isIntroductoryPeriod = false
    /// 1721.
    public var promotionalOfferID: String?
    /// What is not as it should be.
    public var changes = ReceiptChanges()

    /// Something that was bought once.
    public init(of productID: String, transactionID: String, purchaseDate: Date) {
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
    }

    /// What a receipt says of a transaction.
    public init(_ transaction: TransactionPayload) {
        self.init(
            of: transaction.productID ?? "", transactionID: transaction.transactionID ?? "",
            purchaseDate: transaction.purchaseDate ?? transaction.signedDate)
        quantity = Int64(transaction.quantity ?? 1)
        originalTransactionID = transaction.originalTransactionID
        originalPurchaseDate = transaction.originalPurchaseDate
        productType = transaction.type.flatMap { Self.types[$0] }
        expiresDate = transaction.expiresDate
        webOrderLineItemID = transaction.webOrderLineItemID.flatMap { Int64($0) }
        cancellationDate = transaction.revocationDate
        isIntroductoryPeriod = transaction.offerType == 1 && transaction.price != 0
        isTrialPeriod = transaction.offerType == 1 && transaction.price == 0
        promotionalOfferID = transaction.offerType == 2 ? transaction.offerIdentifier : nil
    }

    private static let types: [TransactionPayload.ProductType: Int64] = [
        .nonConsumable: 0, .consumable: 1, .nonRenewing: 2, .autoRenewable: 3,
    ]

    /// The set of its attributes.
    var encoded: [UInt8] {
        var attributes: [ReceiptAttribute] = [
            .integer(1701, quantity), .text(1702, productID), .text(1703, transactionID), .date(1704, purchaseDate),
            .date(1708, expiresDate), .text(1709, ""), .integer(1710, 0), .integer(1711, webOrderLineItemID ?? 0),
            .date(1712, cancellationDate), .integer(1713, isTrialPeriod ? 1 : 0), .text(1714, ""), .text(1715, ""),
            .text(1716, ""), .text(1717, ""), .text(1718, ""), .integer(1719, isIntroductoryPeriod ? 1 : 0),
            .integer(1722, 0),
        ]
        if let originalTransactionID { attributes.append(.text(1705, originalTransactionID)) }
        if let originalPurchaseDate { attributes.append(.date(1706, originalPurchaseDate)) }
        if let productType { attributes.append(.integer(1707, productType)) }
        if let promotionalOfferID { attributes.append(.text(1721, promotionalOfferID)) }
        return changes.set(of: attributes)
    }
}
