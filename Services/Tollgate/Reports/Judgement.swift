internal import Messages

/// The verdict over a reconciliation, and the sentence that says it.
struct Judgement {
    let verdict: Reconciliation.Verdict
    let sentence: String
    /// Nothing is on its way, and everybody has answered.
    let isQuiet: Bool

    /// The gravest thing decides; what is graver is also said first. Dead letters are accounted for: they wait for an
    /// operator. So is what is unproven, as far as anything can tell; it is named.
    init(
        _ look: Look, _ ledger: NumberLedger, _ partitions: [Reconciliation.Row],
        _ services: [Reconciliation.ServiceRow], _ conflicts: [HoldingsLedger.Conflict]?, hasMoved: Bool
    ) {
        func sum(_ count: (Reconciliation.Row) -> Int) -> Int { partitions.reduce(0) { $0 &+ count($1) } }
        let ended =
            [
                "\(sum(\.applied)) applied", "\(sum(\.refused)) refused",
                Self.count(sum(\.dead), "dead letter", "dead letters"),
            ].joined(separator: ", ") + (sum(\.discarded) > 0 ? ", \(sum(\.discarded)) discarded" : "")
        let afterword = ledger.unproven.isEmpty ? "" : "; unproven: \(Self.tails(ledger.unproven.count))"

        let moving =
            Self.moving(look, ledger, partitions, services)
            + (hasMoved ? ["something moved while it was looked at"] : [])
        isQuiet = look.silent.isEmpty && moving.isEmpty

        if !ledger.lost.isEmpty {
            let count = ledger.lost.reduce(0) { $0 &+ $1.numbers.count }
            verdict = .lost
            sentence = "not all is accounted for: \(Self.count(count, "message is", "messages are")) lost"
        } else if let conflicts, !conflicts.isEmpty {
            verdict = .heldByTwo
            sentence =
                "not all is well: \(Self.count(conflicts.count, "transaction is", "transactions are")) held by two"
        } else if !look.silent.isEmpty {
            verdict = .cannotSay
            let names = look.silent.map { "\($0.service).\($0.partition)" }.joined(separator: ", ")
            sentence = "cannot say whether all is accounted for: no answer from \(names)"
        } else if !moving.isEmpty {
            verdict = .onTheWay
            sentence = "not all has ended yet: \(moving.joined(separator: ", "))\(afterword)"
        } else if look.depths == nil {
            verdict = .cannotSay
            sentence = "cannot say whether all is accounted for: what waits in queues is unknown"
        } else {
            verdict = .accounted
            sentence = "all is accounted for: \(ended)\(afterword)"
        }
    }

    /// Everything that has not ended, in the order of its way.
    private static func moving(
        _ look: Look, _ ledger: NumberLedger, _ partitions: [Reconciliation.Row],
        _ services: [Reconciliation.ServiceRow]
    ) -> [String] {
        func sum(_ count: (Reconciliation.Row) -> Int) -> Int { partitions.reduce(0) { $0 &+ count($1) } }
        let condemned = services.reduce(0) { $0 &+ ($1.condemned ?? 0) }
        let inLadder = max(sum(\.retrying), services.reduce(0) { $0 &+ ($1.inLadder ?? 0) })
        let doubtful = ledger.waitingOrLost.reduce(0) { $0 &+ $1.numbers.count }
        let parts: [(Int, String)] = [
            (sum { $0.waiting ?? 0 } &+ condemned, "waiting"), (inLadder, "in the retry ladder"),
            (sum(\.overdue), "of them overdue"), (sum(\.unpublished), "not published yet"),
            (sum(\.replaying), "replayed and not ended"), (doubtful, "waiting or lost"),
            (ledger.untold.count, "awaiting a checkpoint"),
        ]
        return parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    private static func tails(_ count: Int) -> String {
        "what publishers that ended without a last word sent last, under \(Self.count(count, "routing key", "routing keys"))"
    }

    private static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
