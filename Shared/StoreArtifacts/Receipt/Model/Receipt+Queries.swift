public import FoundationEssentials

// What apps ask a receipt. Nothing depends on the order of its rows, nor on a clock: dates are given.

extension Receipt {
    /// How far the clocks of the store and ours may differ: what starts that much later has started.
    public static let clockTolerance: TimeInterval = 5 * 60

    /// All purchases of a product, cancelled and expired ones included, newest first.
    public func purchases(ofProductIdentifier product: String) -> [InAppPurchase] {
        purchases.filter { $0.productID == product }.sorted(by: InAppPurchase.isNewer)
    }

    /// Whether the product was ever bought, even if that was cancelled or has expired since.
    public func containsPurchase(ofProductIdentifier product: String) -> Bool {
        purchases.contains { $0.productID == product }
    }

    /// The original transaction of the newest purchase of a product. Other products may share it.
    public func originalTransactionIdentifier(ofProduct product: String) -> String? {
        purchases(ofProductIdentifier: product).first?.originalTransactionID
    }

    /// All periods of subscriptions, newest first.
    public var autoRenewablePurchases: [InAppPurchase] {
        purchases.filter(\.isAutoRenewable).sorted(by: InAppPurchase.isNewer)
    }

    /// The periods that run at `date` and were not cancelled, newest first.
    ///
    /// A period begins with its purchase date, or up to ``clockTolerance`` before, and ends before its expiration. A
    /// renewal that has been recorded ahead of time belongs to the period of the same product that it follows, and runs
    /// with it.
    public func activeAutoRenewablePurchases(at date: Date) -> [InAppPurchase] {
        var runningUntil: [Subscription: Date] = [:]
        var active: [InAppPurchase] = []
        for purchase in autoRenewablePurchases.reversed() where !purchase.isRefunded {
            guard let end = purchase.expirationDate, date < end else { continue }
            let subscription = Subscription(purchase)
            let before = runningUntil[subscription] ?? .distantPast
            guard purchase.purchaseDate <= max(date, before) + Self.clockTolerance else { continue }
            runningUntil[subscription] = max(before, end)
            active.append(purchase)
        }
        return active.reversed()
    }

    /// The newest running period of a product at `date`.
    public func activeAutoRenewableSubscription(of product: String, at date: Date) -> InAppPurchase? {
        activeAutoRenewablePurchases(at: date).first { $0.productID == product }
    }

    /// Whether a subscription to the product runs at `date`.
    public func hasActiveAutoRenewableSubscription(of product: String, at date: Date) -> Bool {
        activeAutoRenewableSubscription(of: product, at: date) != nil
    }

    /// The period of a product that ends last, cancelled or not.
    public func lastAutoRenewableSubscriptionPurchase(of product: String) -> InAppPurchase? {
        autoRenewablePurchases.filter { $0.productID == product }.min { one, other in
            let (end, otherEnd) = (one.expirationDate ?? .distantPast, other.expirationDate ?? .distantPast)
            return end != otherEnd ? end > otherEnd : InAppPurchase.isNewer(one, other)
        }
    }

    /// Whether no purchase of the product was a trial or had an introductory price. Apple allows one for each
    /// subscription group: ask for all products of the group.
    public func isEligibleForIntroductoryOffer(for product: String) -> Bool {
        isEligibleForIntroductoryOffer(for: [product])
    }

    /// Whether no purchase of any of the products was a trial or had an introductory price.
    public func isEligibleForIntroductoryOffer(for products: Set<String>) -> Bool {
        !purchases.contains { purchase in
            (purchase.isTrialPeriod || purchase.isIntroductoryPricePeriod) && products.contains(purchase.productID)
        }
    }
}

/// What a renewal continues: the same product of the same customer. A change of product does not.
private struct Subscription: Hashable {
    let product: String
    let originalTransaction: String?

    init(_ purchase: InAppPurchase) {
        product = purchase.productID
        originalTransaction = purchase.originalTransactionID
    }
}
