internal import Messages

/// When something that a user holds unlocks an entitlement.
struct HeldSpan: Hashable, Sendable {
    var period: GrantPeriod
    /// How well it is founded that he holds it.
    var rank: ClaimRank
    var purchasedAt: Timestamp
    var transaction: TransactionID
    /// In which of the books that the spans are from.
    var book: Int
    var place: GrantBook.Place

    /// Whether it reaches further; between equals the stronger link decides, then the later purchase, then the id.
    func outlasts(_ other: HeldSpan) -> Bool {
        let (end, otherEnd) = (period.end ?? .distantFuture, other.period.end ?? .distantFuture)
        if end != otherEnd { return end > otherEnd }
        if rank != other.rank { return rank > other.rank }
        if purchasedAt != other.purchasedAt { return purchasedAt > other.purchasedAt }
        return other.transaction < transaction
    }
}

extension GrantBook {
    /// What it grants of some products, by start.
    ///
    /// - Parameters:
    ///   - rank: of the link to its chain.
    ///   - book: its number.
    func spans(rank: ClaimRank, book: Int, where unlocks: (ProductID) -> Bool) -> [HeldSpan] {
        var spans: [HeldSpan] = []
        // Most chains are of one product.
        var judged: (product: ProductID, unlocks: Bool)?
        for place in places {
            let (product, period) = (product(at: place), period(at: place))
            if judged?.product != product { judged = (product, unlocks(product)) }
            guard judged?.unlocks == true else { continue }
            let (id, purchasedAt) = purchase(at: place)
            spans.append(
                HeldSpan(
                    period: period, rank: rank, purchasedAt: purchasedAt, transaction: id, book: book, place: place))
        }
        return spans.sorted { $0.period.start < $1.period.start }
    }
}

/// All spans in which an entitlement is unlocked, and what they amount to.
struct Coverage: Sendable {
    /// Spans without a gap between them: seen from outside, one period.
    private struct Run {
        var period: GrantPeriod
        /// The span that reaches to its end.
        var last: Int
    }

    /// By start.
    let spans: [HeldSpan]
    private let runs: [Run]

    /// - Parameter spans: by start.
    init(of spans: [HeldSpan]) {
        self.spans = spans
        var runs: [Run] = []
        for index in spans.indices {
            guard let last = runs.last, spans[index].period.start <= last.period.end ?? .distantFuture else {
                runs.append(Run(period: spans[index].period, last: index))
                continue
            }
            if spans[index].outlasts(spans[last.last]) {
                runs[runs.count - 1] = Run(
                    period: GrantPeriod(start: last.period.start, end: spans[index].period.end), last: index)
            }
        }
        self.runs = runs
    }

    /// Without gaps between them, by start.
    var periods: [GrantPeriod] { runs.map(\.period) }

    /// The period that runs at `time`, or else the last that has begun by then, and what decides in it; nil: none has.
    func judged(at time: Timestamp) -> (period: GrantPeriod, isActive: Bool, deciding: HeldSpan)? {
        let begun = runs.partitioningIndex { $0.period.start > time }
        guard begun > 0 else { return nil }
        let run = runs[begun - 1]
        guard run.period.contains(time) else { return (run.period, false, spans[run.last]) }
        var deciding: Int?
        for index in spans.indices {
            if spans[index].period.start > time { break }
            guard spans[index].period.contains(time) else { continue }
            if let best = deciding, !spans[index].outlasts(spans[best]) { continue }
            deciding = index
        }
        return (run.period, true, spans[deciding ?? run.last])
    }

    /// The next time after `time` at which ``judged(at:)`` may give something else; nil: never, as things stand.
    func nextChange(after time: Timestamp) -> Timestamp? {
        var next: Timestamp?
        for index in spans.indices {
            let period = spans[index].period
            if period.start > time {
                // All that follow begin later, and end later than they begin.
                return min(next ?? .distantFuture, period.start)
            }
            if let end = period.end, end > time { next = min(next ?? .distantFuture, end) }
        }
        return next
    }
}
