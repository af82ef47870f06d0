internal import FoundationEssentials

extension InAppPurchase {
    /// Reads the attributes of a purchase.
    ///
    /// - Throws: `DERError`, or ``Shortfall`` if there is no purchase date or something that is none.
    init(_ attributes: ReceiptAttributes) throws {
        var purchase = InAppPurchase(
            quantity: 1, productID: "", transactionID: "", purchaseDate: .distantPast, productType: .unknown,
            isTrialPeriod: false, isIntroductoryPricePeriod: false)
        var purchaseDate: Date?
        var attributes = attributes
        while let attribute = try attributes.next() {
            switch attribute.type {
            case 1704: purchaseDate = try attribute.date()
            default: try purchase.take(attribute)
            }
        }
        guard let purchaseDate else { throw Shortfall.malformed("a purchase has no purchase date (attribute 1704)") }
        purchase.purchaseDate = purchaseDate
        purchase.conclude()
        self = purchase
    }

    private mutating func take(_ attribute: ReceiptAttributes.Attribute) throws {
        switch attribute.type {
        case 1701: quantity = try attribute.integer()
        case 1702: productID = try attribute.text()
        // Test tools write numbers here: none then.
        case 1703: transactionID = (try? attribute.text()) ?? ""
        case 1705: originalTransactionID = try attribute.text()
        case 1706: originalPurchaseDate = try attribute.date()
        case 1707: productType = ProductType(rawValue: try attribute.integer())
        case 1708: expirationDate = try attribute.lenientDate()
        case 1711: webOrderLineItemID = try attribute.integer()
        case 1712:
            cancellationDate = try attribute.lenientDate()
            isCancellationUnreadable = try cancellationDate == nil && !attribute.isEmptyDate
        case 1713: isTrialPeriod = try attribute.integer() != 0
        case 1719: isIntroductoryPricePeriod = try attribute.integer() != 0
        case 1721: promotionalOfferID = try attribute.text()
        default: break
        }
    }

    /// What follows from the rest where it is not told.
    private mutating func conclude() {
        if productType == .unknown, expirationDate != nil { productType = .autoRenewable }
        // Xcode's `0` names no transaction: all of its purchases have it.
        let named = [originalTransactionID, transactionID].compactMap { $0 }.first { !$0.isEmpty }
        originalTransactionID = named == "0" ? nil : named
    }
}
