internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite
internal import Synchronization

/// Puts dead letters back onto their partition's queue, a selection's next ones at a time.
///
/// First a stretch of letters is claimed, then they are published, and what the broker has confirmed leaves the table.
/// Whoever goes on after a crash sends again what was only claimed, under the same id and generation: should both arrive,
/// the inbox knows the second.
final class ReplayDesk: Sendable {
    private let lane: Lane
    /// One at a time: two selections may have the same letters.
    private let isBusy = Mutex(false)

    /// How many letters are claimed in one commit, and about how many bytes.
    private static let portion = 2048
    private static let portionBytes = 8 << 20
    /// How many parts of a portion are made ready side by side.
    private static let width = 4

    init(lane: Lane) { self.lane = lane }

    func replay(_ request: DeadReplay) async throws -> Verdict<DeadReplay.Value> {
        let hasBegun = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard hasBegun else { throw MessageFault.forNow("busy", "Another replay is at work in this partition") }
        defer { isBusy.withLock { $0 = false } }
        guard try await lane.database.read({ try SelectionTable.filter(of: request.run, in: $0) }) != nil else {
            return .refused(Refusal("selection_unknown", "There is no such preview, or it is forgotten"))
        }
        var value = DeadReplay.Value(sent: 0, remaining: 0)
        do {
            try await lane.database.write {
                try SelectionTable.markLeftovers(in: $0)
                if request.isForced { try SelectionTable.force(request.run, in: $0) }
            }
            try await send(request, &value)
        } catch let error as SQLiteError where error.isOurs {
            value.pause = "the store takes no writes"
        }
        value.remaining = try await lane.database.read { try SelectionTable.countToDo(of: request.run, in: $0) }
        return .applied(value)
    }

    /// A portion of letters, ready to go.
    private struct Portion: Sendable {
        var letters: [Int] = []
        var publications: [Publication] = []
        /// Up to where it is claimed; nil where nothing was left.
        var last: Int?
        var next: Int?
    }

    /// While one portion is on its way, the one before it is settled and the next one made ready.
    private func send(_ request: DeadReplay, _ value: inout DeadReplay.Value) async throws {
        var left = request.count
        var portion = try await take(request, after: 0, upTo: left)
        var sent: (portion: Portion, outcomes: [PublishOutcome])?
        while true {
            left -= portion.letters.count
            let publications = portion.publications
            async let answers = publish(publications)
            if let sent { _ = try await settle(sent.portion, sent.outcomes, of: request, &value) }
            var following: Portion?
            if let next = portion.next, left > 0, !lane.stop.isRequested {
                following = try await take(request, after: next, upTo: left)
            }
            let outcomes = await answers
            if let next = following, outcomes.allSatisfy({ $0 == .confirmed || $0 == .notSent(.unsendable) }) {
                sent = (portion, outcomes)
                portion = next
                continue
            }
            value.pause = try await settle(portion, outcomes, of: request, &value)
            if following != nil {
                try await lane.database.write { try SelectionTable.settled(of: request.run, in: $0) }
            }
            return
        }
    }

    private func take(_ request: DeadReplay, after number: Int, upTo limit: Int) async throws -> Portion {
        let count = min(limit, Self.portion)
        let (claims, last, next) = try await lane.database.write {
            try SelectionTable.claim(request, after: number, count: count, bytes: Self.portionBytes, in: $0)
        }
        return Portion(
            letters: claims.map(\.letter),
            publications: try await publications(of: claims, renewedAt: request.isAsNew ? lane.clock() : nil),
            last: last, next: next)
    }

    /// Reads the properties side by side: that costs more than all else here.
    private func publications(of claims: [SelectionTable.Claim], renewedAt: Timestamp?) async throws -> [Publication] {
        let service = lane.address.service
        let route = Route.replay(service, partition: lane.address.number)
        let share = max(128, (claims.count + Self.width - 1) / Self.width)
        return try await withThrowingTaskGroup(of: (Int, [Publication]).self) { group in
            for start in stride(from: 0, to: claims.count, by: share) {
                group.addTask {
                    let part = claims[start..<min(start + share, claims.count)]
                    return (
                        start,
                        try part.map {
                            let envelope = try $0.message.replay(of: service, renewedAt: renewedAt)
                            return Publication(envelope, to: route, isMandatory: true)
                        }
                    )
                }
            }
            var parts: [(Int, [Publication])] = []
            for try await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    private func publish(_ publications: [Publication]) async -> [PublishOutcome] {
        guard !publications.isEmpty else { return [] }
        return await lane.publisher.republish(publications, deadline: .now + .seconds(10))
    }

    /// - Returns: why nothing more should be sent now.
    private func settle(
        _ portion: Portion, _ outcomes: [PublishOutcome], of request: DeadReplay, _ value: inout DeadReplay.Value
    ) async throws -> String? {
        var confirmed: [Int] = []
        var unknown: [Int] = []
        var unsendable: [Int] = []
        var pause: String?
        for (letter, outcome) in zip(portion.letters, outcomes) {
            switch outcome {
            case .confirmed: confirmed.append(letter)
            case .notSent(.unsendable): unsendable.append(letter)
            case .unknown:
                unknown.append(letter)
                pause = "the broker did not answer"
            case .notSent(.blocked): pause = "the broker is short of memory or disk, and takes nothing"
            case .returned, .refused, .notSent: pause = "the broker does not take it: \(outcome)"
            }
        }
        let (now, bucket) = (lane.clock(), Bucket.all[lane.address.number])
        try await lane.database.write { [confirmed, unknown, unsendable] transaction in
            try SelectionTable.confirm(confirmed, of: request.run, in: transaction)
            try SelectionTable.mark(unknown, .sending, of: request.run, in: transaction)
            try SelectionTable.mark(unsendable, .unsendable, of: request.run, in: transaction)
            try SelectionTable.settled(through: portion.last, of: request.run, in: transaction)
            try AuditTrail.note(
                request.isAsNew ? .replayAsNew : .replay, by: request.by, count: confirmed.count, run: request.run,
                filter: try SelectionTable.filter(of: request.run, in: transaction), bucket: bucket, at: now,
                in: transaction)
        }
        value.sent += confirmed.count
        return pause
    }
}
