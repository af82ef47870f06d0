package import Messages

/// What became of everything that was accepted: by service and partition, and as one sentence.
package struct Reconciliation: Encodable, Sendable {
    /// Whether all is accounted for.
    package enum Verdict: String, Encodable, Sendable {
        /// Everything ended as applied, refused or a dead letter, and nothing is on its way.
        case accounted
        /// Nothing is known to be missing, and something has not ended yet.
        case onTheWay = "on_the_way"
        /// Something was confirmed and has not arrived.
        case lost
        /// A transaction has two holders.
        case heldByTwo = "held_by_two"
        /// Somebody who has to be asked did not answer.
        case cannotSay = "cannot_say"
    }

    /// One partition.
    package struct Row: Encodable, Sendable, Hashable {
        package var service: ServiceName
        package var partition: Int
        /// What it has taken or has still to take: the sum of applied, refused, retrying, dead,
        /// discarded and waiting.
        package var accepted: Int
        package var applied: Int
        package var refused: Int
        package var repeated: Int
        package var forwarded: Int
        package var retrying: Int
        package var overdue: Int
        /// What is in the ladder, and why.
        package var retryGroups: [PartitionReport.RetryGroup]
        package var dead: Int
        package var deadLetters: [PartitionReport.DeadGroup]
        /// Dead letters in the archive: an operator has decided that they are not to be applied.
        package var discarded: Int
        /// Dead letters that an operator has put back onto their queue and that have not ended.
        package var replaying: Int
        /// In its queue; absent: unknown.
        package var waiting: Int?
        package var unpublished: Int
        /// Routing keys under which a publisher went silent without a last word.
        package var unproven: Int
        /// Numbers that were confirmed and have not arrived.
        package var lost: Int
    }

    /// What is shared by the partitions of a service.
    package struct ServiceRow: Encodable, Sendable, Hashable {
        package var service: ServiceName
        /// In the queues of its ladder; absent: unknown.
        package var inLadder: Int?
        /// Given up by the broker and not yet moved into the dead letters; absent: unknown.
        package var condemned: Int?
    }

    package let at: Timestamp
    package let services: [ServiceRow]
    package let partitions: [Row]
    package let silent: [Look.Silence]
    package let lost: [NumberLedger.Finding]
    package let waitingOrLost: [NumberLedger.Finding]
    package let unproven: [NumberLedger.Finding]
    package let untold: [NumberLedger.Finding]
    /// Transactions with more than one holder; absent: not asked.
    package let heldByTwo: [HoldingsLedger.Conflict]?
    package let verdict: Verdict
    package let sentence: String
    /// Nothing is on its way, as far as one look can tell, and everybody has answered.
    package let isQuiet: Bool
    /// From what all of it follows.
    private let look: Look

    private enum CodingKeys: String, CodingKey {
        case at, services, partitions, silent, lost, waitingOrLost, unproven, untold, heldByTwo, verdict, sentence
    }

    /// - Parameters:
    ///   - conflicts: transactions with more than one holder; nil: not asked.
    ///   - hasMoved: whether another look, a moment ago, saw something else.
    ///   - earlier: what an earlier look has missed: only that is lost; nil: whatever this one misses.
    package init(
        _ look: Look, conflicts: [HoldingsLedger.Conflict]?, hasMoved: Bool = false,
        missing earlier: [NumberLedger.Finding]? = nil, catalogue: [MessageKind: KindDescription] = Catalogue.byKind
    ) {
        var ledger = NumberLedger(look, catalogue: catalogue)
        if let earlier { ledger.doubt(allBut: earlier) }
        self.look = look
        at = look.at
        let names = look.counts.keys.sorted()
        let order = ServiceName.all.filter { look.counts[$0] != nil } + names.filter { !ServiceName.all.contains($0) }
        services = order.map {
            ServiceRow(
                service: $0, inLadder: look.waiting(inLadderOf: $0), condemned: look.waiting(in: "\($0).dead"))
        }
        partitions = order.flatMap { service in
            look.reports.filter { $0.service == service }.sorted { $0.partition < $1.partition }
                .map { Row($0, look, ledger) }
        }
        silent = look.silent.map { silence in
            var silence = silence
            silence.waiting = look.waiting(in: "\(silence.service).\(silence.partition)")
            return silence
        }
        lost = ledger.lost
        waitingOrLost = ledger.waitingOrLost
        unproven = ledger.unproven
        untold = ledger.untold
        heldByTwo = conflicts
        let judgement = Judgement(look, ledger, partitions, services, conflicts, hasMoved: hasMoved)
        isQuiet = judgement.isQuiet
        verdict = judgement.verdict
        sentence = judgement.sentence
    }

    /// The same, with nothing lost but what was missing already when `earlier` was found.
    package func doubting(allBut earlier: [NumberLedger.Finding]) -> Reconciliation {
        Reconciliation(look, conflicts: heldByTwo, missing: earlier)
    }

    /// Whether this and an earlier look have seen one and the same moment of rest: nothing is on its way in either, and
    /// nothing has moved between them.
    package func isAtRest(since other: Reconciliation) -> Bool {
        isQuiet && other.isQuiet && partitions == other.partitions && services == other.services
            && silent == other.silent
    }
}

extension Reconciliation.Row {
    fileprivate init(_ report: PartitionReport, _ look: Look, _ ledger: NumberLedger) {
        func own(_ findings: [NumberLedger.Finding]) -> [NumberLedger.Finding] {
            findings.filter { $0.service == report.service && $0.partition == report.partition }
        }
        let dead = report.dead.reduce(0) { $0 &+ $1.count }
        let waiting = look.waiting(in: "\(report.service).\(report.partition)")
        let ended = report.applied &+ report.refused &+ dead &+ (report.discarded ?? 0)
        self.init(
            service: report.service, partition: report.partition,
            accepted: ended &+ report.retrying &+ (waiting ?? 0), applied: report.applied, refused: report.refused,
            repeated: report.repeated, forwarded: report.forwarded, retrying: report.retrying,
            overdue: report.overdue, retryGroups: report.retryGroups ?? [], dead: dead, deadLetters: report.dead,
            discarded: report.discarded ?? 0, replaying: report.replaying ?? 0,
            waiting: waiting, unpublished: report.unpublished,
            unproven: own(ledger.unproven).count, lost: own(ledger.lost).reduce(0) { $0 &+ $1.numbers.count })
    }
}
