package import Messages
package import Messaging

/// Which publications wait, which the broker has, and what became of each. Knows no clock, no socket, no lock: its
/// owner asks what to send, and tells it what the broker says.
package struct PublishLedger {
    /// How much may be on its way.
    package struct Limits {
        /// Publications sent and not answered. More only adds to the time of each (measured: 1,024 are no faster).
        package var window = 256
        /// Publications taken on and not answered, waiting ones included.
        package var count = 50_000
        /// Their bytes.
        package var bytes = 256 << 20
        /// How long publications wait for a connection that was lost, since that.
        package var grace = Duration.milliseconds(250)

        package init() {}
    }

    /// One caller, and the fates it waits for.
    // Sendable by hand: touched by the ledger under its owner's lock until it is finished, then by who resumes it.
    package final class Call: @unchecked Sendable {
        package let deadline: ContinuousClock.Instant
        fileprivate(set) var outcomes: [PublishOutcome]
        fileprivate var open: Int
        private let whenFinished: @Sendable ([PublishOutcome]) -> Void

        package init(
            count: Int, deadline: ContinuousClock.Instant, whenFinished: @escaping @Sendable ([PublishOutcome]) -> Void
        ) {
            self.deadline = deadline
            outcomes = [PublishOutcome](repeating: .unknown, count: count)
            open = count
            self.whenFinished = whenFinished
        }

        package func resume() { whenFinished(outcomes) }
    }

    /// One of a caller's publications. The caller's array is shared, because copying a publication costs twenty
    /// reference counts.
    package struct Outgoing {
        package let all: [Publication]
        package let place: Int
    }

    /// One publication on its way.
    private final class Entry {
        let call: Call
        let outgoing: Outgoing
        let propertiesSize: Int
        let size: Int
        /// Its fate is known.
        var isAnswered = false
        /// The broker has sent it back; what confirms it comes after.
        var isReturned = false

        var place: Int { outgoing.place }

        init(call: Call, outgoing: Outgoing, propertiesSize: Int, size: Int) {
            self.call = call
            self.outgoing = outgoing
            self.propertiesSize = propertiesSize
            self.size = size
        }
    }

    private enum Phase {
        case down(graceUntil: ContinuousClock.Instant)
        case up
        case blocked
    }

    private let limits: Limits
    private var phase: Phase
    private var largestProperties = Int.max
    private var waiting = FIFO<Entry>()
    private var sent = FIFO<Entry>()
    /// The delivery tag of `sent`'s first.
    private var firstTag: UInt64 = 1
    /// Of those in `sent`, how many the broker has not answered.
    private var unanswered = 0
    private var bytes = 0
    private var finished: [Call] = []
    /// The earliest deadline of anything on its way, or earlier.
    package private(set) var nextDeadline: ContinuousClock.Instant?

    package init(limits: Limits = Limits(), now: ContinuousClock.Instant) {
        self.limits = limits
        phase = .down(graceUntil: now + limits.grace)
    }

    /// Publications that are not answered.
    package var count: Int { waiting.count + unanswered }

    /// Calls whose every fate is known; they are handed out once, to be resumed.
    package mutating func takeFinished() -> [Call] {
        guard !finished.isEmpty else { return [] }
        defer { finished = [] }
        return finished
    }

    // MARK: Callers

    /// Takes publications on; true if there is something to send that was not there before.
    ///
    /// - Parameter propertiesSizes: as ``MessageProperties/encodedSize(user:)`` says.
    package mutating func submit(
        _ publications: [Publication], propertiesSizes: [Int?], for call: Call, now: ContinuousClock.Instant
    ) -> Bool {
        let wasIdle = waiting.isEmpty
        for place in publications.indices {
            let bodySize = publications[place].envelope.body.count
            let isKeySendable = publications[place].route.routingKey.utf8.count <= 255
            guard isKeySendable, let propertiesSize = propertiesSizes[place], propertiesSize <= largestProperties else {
                settle(call, place, .notSent(.unsendable))
                continue
            }
            let size = bodySize + 1024
            if let reason = reasonNotToTake(size, deadline: call.deadline, now: now) {
                settle(call, place, .notSent(reason))
                continue
            }
            waiting.append(
                Entry(
                    call: call, outgoing: Outgoing(all: publications, place: place), propertiesSize: propertiesSize,
                    size: size))
            bytes += size
        }
        guard !waiting.isEmpty else { return false }
        expect(call.deadline)
        if case .down(let graceUntil) = phase { expect(graceUntil) }
        return wasIdle
    }

    private func reasonNotToTake(
        _ size: Int, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) -> PublishOutcome.NotSent? {
        guard now < deadline else { return .deadline }
        switch phase {
        case .blocked: return .blocked
        case .down(let graceUntil) where graceUntil <= now: return .disconnected
        case .down, .up: break
        }
        // One is always taken, however large.
        return count < limits.count && (count == 0 || bytes + size <= limits.bytes) ? nil : .overloaded
    }

    // MARK: The connection

    /// What to send next; it counts as sent from here on.
    package mutating func next(now: ContinuousClock.Instant) -> Outgoing? {
        guard case .up = phase, unanswered < limits.window, sent.count < limits.window * 16 else { return nil }
        while let entry = waiting.popFirst() {
            guard now < entry.call.deadline else {
                release(entry, .notSent(.deadline))
                continue
            }
            guard entry.propertiesSize <= largestProperties else {
                release(entry, .notSent(.unsendable))
                continue
            }
            sent.append(entry)
            unanswered += 1
            return entry.outgoing
        }
        return nil
    }

    /// A connection is there, and its numbers begin anew.
    package mutating func connected(largestProperties: Int) {
        self.largestProperties = largestProperties
        firstTag = 1
        phase = .up
    }

    /// The connection is gone: what was sent may have arrived.
    package mutating func disconnected(now: ContinuousClock.Instant) {
        for entry in sent.takeAll() where !entry.isAnswered {
            release(entry, entry.isReturned ? .returned : .unknown)
        }
        unanswered = 0
        phase = .down(graceUntil: now + limits.grace)
        if !waiting.isEmpty { expect(now + limits.grace) }
    }

    /// There will be no connection any more: nobody needs to wait for one.
    package mutating func stopped(now: ContinuousClock.Instant) {
        disconnected(now: now)
        phase = .down(graceUntil: now)
        refuseWaiting(.disconnected)
    }

    /// The broker takes nothing for now. What was sent may still be answered.
    package mutating func blocked() {
        guard case .up = phase else { return }
        phase = .blocked
        refuseWaiting(.blocked)
    }

    /// The broker takes messages again.
    package mutating func unblocked() {
        if case .blocked = phase { phase = .up }
    }

    /// The broker closed the channel over one publication: the first unanswered one to this exchange and, where it is
    /// named, this key. What came after it on the channel was thrown away by the broker, unread (AMQP 0-9-1 § 2.2.3);
    /// it waits again, in front.
    package mutating func channelClosed(over exchange: String?, routingKey: String?) {
        var behind: [Entry] = []
        var isFound = false
        for entry in sent.takeAll() where !entry.isAnswered {
            let route = entry.outgoing.all[entry.place].route
            if isFound {
                behind.append(entry)
            } else if route.exchange.rawValue == exchange, routingKey == nil || routingKey == route.routingKey {
                isFound = true
                release(entry, .refused)
            } else {
                release(entry, entry.isReturned ? .returned : .unknown)
            }
        }
        unanswered = 0
        firstTag = 1
        waiting.prepend(behind)
    }

    // MARK: The broker's answers

    /// Publications are confirmed; one that came back before is not.
    package mutating func confirmed(_ tag: UInt64, upTo: Bool) {
        answer(tag, upTo: upTo, .confirmed)
    }

    /// Publications are refused.
    package mutating func refused(_ tag: UInt64, upTo: Bool) {
        answer(tag, upTo: upTo, .refused)
    }

    /// A mandatory message has come back. It does not say which it is, but they come back in the order in which they
    /// were sent, and before they are confirmed: it is the first that could be it.
    package mutating func returned(_ envelope: Envelope, exchange: String, routingKey: String) {
        for place in 0..<sent.count {
            guard let entry = sent[place], !entry.isAnswered, !entry.isReturned else { continue }
            let publication = entry.outgoing.all[entry.place]
            guard publication.isMandatory, publication.route.routingKey == routingKey,
                publication.route.exchange.rawValue == exchange,
                publication.envelope.properties.messageID == envelope.properties.messageID,
                publication.envelope.body == envelope.body
            else { continue }
            entry.isReturned = true
            return
        }
    }

    private mutating func answer(_ tag: UInt64, upTo: Bool, _ outcome: PublishOutcome) {
        guard tag >= firstTag, tag - firstTag < UInt64(sent.count) else { return }
        let last = Int(tag - firstTag)
        for place in (upTo ? 0 : last)...last {
            guard let entry = sent[place], !entry.isAnswered else { continue }
            entry.isAnswered = true
            unanswered -= 1
            release(entry, entry.isReturned ? .returned : outcome)
        }
        while !sent.isEmpty, let first = sent[0], first.isAnswered {
            _ = sent.popFirst()
            firstTag += 1
        }
    }

    // MARK: Deadlines

    /// Answers every caller whose deadline has passed: what was sent is unknown, the rest was not sent.
    package mutating func sweep(now: ContinuousClock.Instant) {
        guard let due = nextDeadline, due <= now else { return }
        var kept: ContinuousClock.Instant?
        func keep(_ deadline: ContinuousClock.Instant) { kept = min(kept ?? deadline, deadline) }
        if case .down(let graceUntil) = phase {
            if graceUntil <= now { refuseWaiting(.disconnected) } else if !waiting.isEmpty { keep(graceUntil) }
        }
        var expired: [Entry] = []
        waiting.filter { entry in
            if entry.call.deadline <= now { expired.append(entry) } else { keep(entry.call.deadline) }
            return entry.call.deadline > now
        }
        for entry in expired { release(entry, .notSent(.deadline)) }
        for place in 0..<sent.count {
            guard let entry = sent[place], !entry.isAnswered else { continue }
            if entry.call.deadline > now {
                keep(entry.call.deadline)
            } else {
                // It keeps its place in the window, for the broker may still answer; its caller waits no longer.
                settle(entry.call, entry.place, entry.isReturned ? .returned : .unknown)
            }
        }
        nextDeadline = kept
    }

    private mutating func expect(_ deadline: ContinuousClock.Instant) {
        nextDeadline = min(nextDeadline ?? deadline, deadline)
    }

    private mutating func refuseWaiting(_ reason: PublishOutcome.NotSent) {
        for entry in waiting.takeAll() { release(entry, .notSent(reason)) }
    }

    private mutating func release(_ entry: Entry, _ outcome: PublishOutcome) {
        bytes -= entry.size
        settle(entry.call, entry.place, outcome)
    }

    private mutating func settle(_ call: Call, _ place: Int, _ outcome: PublishOutcome) {
        // Settled at its deadline already.
        guard call.open > 0 else { return }
        call.outcomes[place] = outcome
        call.open -= 1
        if call.open == 0 { finished.append(call) }
    }
}
