package import Messages

/// Puts what publishers say to have sent beside what partitions say to have seen: by publisher, routing key and number.
///
/// Pure. A number is *confirmed* if a checkpoint covers it and does not name it as unconfirmed. It is *lost* if it is
/// confirmed and whoever had to take it has not seen it, while nothing waits for him. What a publisher that has gone
/// silent sent after its last checkpoint is *unproven*: nobody knows what of it the broker confirmed.
package struct NumberLedger: Sendable {
    /// Numbers of one publisher under one routing key, as one taker knows them.
    package struct Finding: Encodable, Sendable, Hashable {
        /// Who numbered.
        package var publisher: PublisherID
        /// Under which key.
        package var routingKey: String
        /// Who has to take it.
        package var service: ServiceName
        /// The partition that has to take it, as the service is split now.
        package var partition: Int
        /// Which numbers.
        package var numbers: NumberSet
    }

    /// Confirmed and not seen, and nothing waits.
    package private(set) var lost: [Finding] = []
    /// Confirmed and not seen, but something waits, or nobody knows whether.
    package private(set) var waitingOrLost: [Finding] = []
    /// Beyond the last checkpoint of a publisher that says nothing more: the numbers there that were not seen. Often
    /// none; what such a publisher sent last of all cannot be known either way.
    package private(set) var unproven: [Finding] = []
    /// Beyond the last checkpoint of a publisher that was active a moment ago: it will tell.
    package private(set) var untold: [Finding] = []

    /// Partitions forget publishers after a week (`TOLLGATE_INBOX_KEPT`), not all in the same minute: whoever has no
    /// trace of one that was heard of last so long ago has forgotten it, or came later.
    package static let memory = Duration.seconds(6 * 86_400)

    private struct Line: Hashable {
        let publisher: PublisherID
        let routingKey: String
    }

    /// What all partitions together have heard of a line.
    private struct Told {
        var through = 0
        var unconfirmed = NumberSet()
        var isFinal = false
        var lastSign: Timestamp?

        var confirmed: NumberSet { through < 1 ? NumberSet() : NumberSet([1...through]).subtracting(unconfirmed) }

        mutating func hear(_ numbers: PartitionReport.Numbers) {
            lastSign = [lastSign, numbers.checkpointAt, numbers.lastSeenAt].compactMap { $0 }.max()
            guard let checkpoint = numbers.checkpoint else { return }
            // Numbers end where NumberSet ends them: hostile ones must not overflow what follows.
            through = max(through, min(checkpoint.through, 1 << 53))
            unconfirmed = unconfirmed.union(checkpoint.unconfirmed)
            isFinal = isFinal || checkpoint.isFinal
        }
    }

    /// Goes through everything that `look` has found.
    ///
    /// - Parameter catalogue: who takes which event.
    package init(_ look: Look, catalogue: [MessageKind: KindDescription] = Catalogue.byKind) {
        var told: [Line: Told] = [:]
        var seen: [Line: [Taker: NumberSet]] = [:]
        for report in look.reports {
            for numbers in report.numbers {
                let line = Line(publisher: numbers.publisher, routingKey: numbers.routingKey)
                told[line, default: Told()].hear(numbers)
                seen[line, default: [:]][Taker(report.service, report.partition)] = numbers.seen
            }
            // What publishers say when they are asked: an event whose checkpoints went the way of the event itself.
            for numbers in report.published ?? [] {
                told[Line(publisher: numbers.publisher, routingKey: numbers.routingKey), default: Told()].hear(numbers)
            }
        }
        let lines = told.sorted {
            ($0.key.publisher, $0.key.routingKey) < ($1.key.publisher, $1.key.routingKey)
        }
        for (line, told) in lines {
            let seen = seen[line] ?? [:]
            let audience = Audience(of: line.routingKey, heardBy: Set(seen.keys.map(\.service)), look, catalogue)
            for listener in audience.listeners { judge(line, told, seen, as: listener, look) }
        }
    }

    /// Takes for lost only what was missing already when `earlier` was found; of the rest it is not known yet, for a
    /// publisher and whoever takes its messages are not asked in the same moment.
    mutating func doubt(allBut earlier: [Finding]) {
        let all = lost
        lost = []
        for finding in all {
            let known = earlier.first { $0.isOfTheSame(as: finding) }?.numbers ?? NumberSet()
            var (old, new) = (finding, finding)
            new.numbers = finding.numbers.subtracting(known)
            old.numbers = finding.numbers.subtracting(new.numbers)
            if !old.numbers.isEmpty { lost.append(old) }
            if !new.numbers.isEmpty { waitingOrLost.append(new) }
        }
    }

    private mutating func judge(
        _ line: Line, _ told: Told, _ seen: [Taker: NumberSet], as listener: Audience.Listener, _ look: Look
    ) {
        // Without an answer of each, nothing can be said to be missing.
        guard !listener.partitions.contains(where: look.isSilent) else { return }
        let age = told.lastSign.map { look.at.since($0) }
        let heard = listener.partitions.compactMap { seen[$0] }
        if heard.isEmpty, let age, age > Self.memory { return }
        let own = heard.reduce(NumberSet()) { $0.union($1) }
        func finding(_ numbers: NumberSet) -> Finding {
            Finding(
                publisher: line.publisher, routingKey: line.routingKey, service: listener.service,
                partition: listener.partition, numbers: numbers)
        }

        let missing = told.confirmed.subtracting(own)
        if !missing.isEmpty {
            if look.waiting(for: listener.service) == 0 {
                lost.append(finding(missing))
            } else {
                waitingOrLost.append(finding(missing))
            }
        }
        let highest = seen.values.compactMap(\.max).max() ?? 0
        if highest > told.through {
            let beyond = NumberSet([told.through + 1...highest]).subtracting(own)
            let isOver = told.isFinal || age.map { $0 > look.patience } ?? true
            if isOver { unproven.append(finding(beyond)) } else { untold.append(finding(beyond)) }
        }
    }
}

extension NumberLedger.Finding {
    fileprivate func isOfTheSame(as other: NumberLedger.Finding) -> Bool {
        publisher == other.publisher && routingKey == other.routingKey && service == other.service
            && partition == other.partition
    }
}
