import Foundation
import StoreArtifacts
import StoreSimulator

/// What somebody has been told who has seen a store's documents: all that a server has to go by.
struct Evidence {
    /// As they were signed last.
    private(set) var newest: [String: TransactionPayload] = [:]
    private(set) var renewals: [RenewalPayload] = []
    private(set) var notificationIDs: [String] = []

    /// - Parameter date: later ones have not been seen.
    init(of story: Story, signedBy date: Date = .distantFuture) {
        for event in story.events where event.signedAt <= date {
            for document in event.documents { see(document) }
        }
    }

    var transactions: [TransactionPayload] { Array(newest.values) }

    private mutating func see(_ document: StoreDocument) {
        switch document {
        case .transaction(let payload): see(payload)
        case .renewal(let payload): renewals.append(payload)
        case .notification(let design):
            notificationIDs.append(design.uuid)
            design.transaction.map { see($0) }
            design.renewal.map { renewals.append($0) }
        default: break
        }
    }

    private mutating func see(_ payload: TransactionPayload) {
        guard let id = payload.transactionID, newest[id].map({ $0.signedDate <= payload.signedDate }) ?? true else {
            return
        }
        newest[id] = payload
    }

    /// A span of time that follows from what has been seen.
    struct Span {
        let product: String
        let transaction: String
        let from: Date
        var until: Date
    }

    /// By first transaction: when its product could be used.
    var spans: [String: [Span]] {
        let kept = transactions.filter { $0.type != .consumable }
        return Dictionary(grouping: kept) { $0.originalTransactionID ?? "" }.mapValues { chain in
            chain.flatMap { transaction -> [Span] in
                guard let from = transaction.purchaseDate else { return [] }
                // Nothing says when it was switched but the beginning of what came in its place.
                let next = chain.compactMap(\.purchaseDate).filter { $0 > from }.min()
                let ends = [
                    transaction.expiresDate, transaction.revocationDate, transaction.isUpgraded == true ? next : nil,
                ]
                let until = ends.compactMap(\.self).min() ?? .distantFuture
                var spans = [Span(from: transaction, from: from, until: until)]
                let graces = renewals.filter {
                    $0.originalTransactionID == transaction.originalTransactionID && $0.renewalDate == until
                }
                if let grace = graces.compactMap(\.gracePeriodExpiresDate).max() {
                    spans.append(Span(from: transaction, from: until, until: grace))
                }
                return spans
            }
        }
    }

    /// What can be used at a moment, and until when, by first transaction.
    func active(at date: Date) -> [String: Span] {
        spans.compactMapValues { spans in
            // A new period says more than the grace before it was charged; its number is higher.
            guard
                var running = spans.filter({ $0.from <= date && date < $0.until })
                    .max(by: { ($0.from, $0.transaction) < ($1.from, $1.transaction) })
            else { return nil }
            while let next = spans.first(where: {
                $0.product == running.product && $0.from <= running.until && running.until < $0.until
            }) {
                running.until = next.until
            }
            return running
        }
    }
}

extension Evidence.Span {
    fileprivate init(from transaction: TransactionPayload, from: Date, until: Date) {
        self.init(
            product: transaction.productID ?? "", transaction: transaction.transactionID ?? "", from: from, until: until
        )
    }
}
