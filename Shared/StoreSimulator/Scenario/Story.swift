public import FoundationEssentials
internal import StoreArtifacts

/// One run of a ``Scenario``: what the store signs, and what is true.
public struct Story: Sendable {
    /// Its scenario's name.
    public let scenario: String
    /// The same seed, the same story.
    public let seed: UInt64
    /// Whose purchases it is about.
    public let setting: ScenarioSetting
    /// In the order in which they were signed.
    public let events: [StoreEvent]
    let chapters: [Chapter]

    /// What is true from one signature to the next.
    struct Chapter: Sendable {
        let knownFrom: Date
        let lines: [PurchaseLine]
        let coins: [CoinDeal]
    }

    /// A consumable that was bought, or taken back.
    struct CoinDeal: Sendable {
        let at: Date
        let product: String
        let quantity: Int
    }

    /// When everything has been signed.
    public var end: Date { events.map(\.signedAt).max() ?? .distantPast }

    /// Who holds what.
    ///
    /// - Parameters:
    ///   - date: The moment that is asked about.
    ///   - knowledge: What the store had signed by then is known, and nothing else: `date` unless given.
    /// - Returns: One for each purchase of a subscription or of what is kept that was made by `date`, in the order of
    ///   purchases.
    public func holdings(at date: Date, knownAt knowledge: Date? = nil) -> [Holding] {
        lines(knownAt: knowledge ?? date).compactMap { $0.holding(at: date) }
    }

    /// How many of each consumable were bought and not paid back, as ``holdings(at:knownAt:)``.
    public func consumables(at date: Date, knownAt knowledge: Date? = nil) -> [String: Int] {
        let chapter = chapters.last { $0.knownFrom <= knowledge ?? date }
        return (chapter?.coins ?? []).filter { $0.at <= date }.reduce(into: [:]) { counts, deal in
            counts[deal.product, default: 0] += deal.quantity
        }
    }

    /// When who had what, with everything known.
    public var periods: [HeldPeriod] { (chapters.last?.lines ?? []).flatMap(\.periods) }

    /// Moments at which something changes: after each signature, and at, before and after each end of a period.
    public var moments: [Date] {
        let boundaries = chapters.flatMap { $0.lines.flatMap(\.periods) }.compactMap(\.until)
        let ends = boundaries.flatMap { [$0 - 1, $0, $0 + 3_600] }
        return Set(events.map { $0.signedAt + 60 } + ends).sorted()
    }

    private func lines(knownAt date: Date) -> [PurchaseLine] { chapters.last { $0.knownFrom <= date }?.lines ?? [] }
}

/// A purchase and what it has brought its customer.
struct PurchaseLine: Sendable {
    let customer: String
    var purchase: Purchase
    var periods: [HeldPeriod] = []
    /// Why it is not there when it has simply run out.
    var lapse = Holding.Reason.expired
    /// By transaction: when something else came in its place, which receipts tell.
    var switchedAt: [String: Date] = [:]

    func holding(at date: Date) -> Holding? {
        let begun = periods.filter { $0.from <= date }
        guard let last = begun.last(where: { $0.contains(date) }) ?? begun.max(by: { Self.end($0) < Self.end($1) })
        else { return nil }
        let isActive = last.contains(date)
        var until = last.until
        // Whoever holds it into the next period holds it until that one's end.
        while isActive,
            let next = periods.first(where: { $0.from == until && $0.until != until && $0.productId == last.productId })
        {
            until = next.until
        }
        return Holding(
            customer: customer, productId: last.productId, isActive: isActive, until: until,
            transactionId: last.transactionId, originalTransactionId: last.originalTransactionId,
            reason: isActive ? last.reason : last.endedBy ?? lapse,
            renews: purchase.renewal?.autoRenewStatus.map { $0 == 1 },
            renewsAs: purchase.renewal?.autoRenewStatus == 1 ? purchase.renewal?.autoRenewProductID : nil)
    }

    private static func end(_ period: HeldPeriod) -> Date { period.until ?? .distantFuture }
}
