import Foundation
import Messages
import Messaging
import SQLite
import TestSupport
import Testing

/// What an operator's tool asks a partition, and what tests want to know of the answers.
extension Workbench {
    func ask<Message: PartitionMessage>(_ message: Message, as user: BrokerUser? = .operatorTool) async throws
        -> Answer<Message.Value>
    {
        var envelope = Envelope(
            kind: Message.kind, id: MessageID(at: clock.now), body: try MessageJSON.encode(message))
        envelope.properties.replyTo = "replies.test"
        broker.inject(envelope, to: .query(Self.service, Bucket.all[message.partition]), as: user)
        return try await nextAnswer(Message.Value.self).answer
    }

    func get<Message: PartitionMessage>(_ message: Message) async throws -> Message.Value {
        let answer = try await ask(message)
        return try #require(answer.applied, "\(answer)")
    }

    /// Selects and freezes.
    @discardableResult
    func freeze(_ run: String, _ partition: Int = 0, _ adjust: (inout LetterFilter) -> Void = { _ in }) async throws
        -> DeadFreeze.Value
    {
        var filter = LetterFilter()
        adjust(&filter)
        return try await get(
            DeadFreeze(
                partition: partition, run: MessageID(rawValue: run), filter: filter, by: "ann", mostReplays: 3))
    }

    /// Puts back what was frozen.
    @discardableResult
    func replay(
        _ run: String, _ partition: Int = 0, count: Int = 10_000, asNew: Bool = false, force: Bool = false
    ) async throws -> DeadReplay.Value {
        try await get(
            DeadReplay(
                partition: partition, run: MessageID(rawValue: run), count: count, by: "ann", isAsNew: asNew,
                isForced: force, mostReplays: 3))
    }

    /// What has become of a selection: how many came to each outcome.
    func outcomes(_ run: String, _ partition: Int = 0) async throws -> [String: Int] {
        let value = try await get(DeadOutcomesGet(partition: partition, run: MessageID(rawValue: run)))
        return value.outcomes.reduce(into: [:]) { $0[$1.outcome.rawValue, default: 0] += $1.count }
    }

    func foretold(_ run: String, asNew: Bool? = nil) async throws -> [String: Int] {
        let value = try await get(
            DeadForetell(partition: 0, run: MessageID(rawValue: run), count: 200, isAsNew: asNew))
        return value.outcomes.reduce(into: [:]) { $0[$1.outcome.rawValue, default: 0] += $1.count }
    }

    /// Whole, the newest first.
    func page(_ adjust: (inout LetterFilter) -> Void = { _ in }) async throws -> [DeadLetterView] {
        var filter = LetterFilter()
        adjust(&filter)
        return try await get(DeadPageGet(partition: 0, filter: filter, limit: 1000, isWhole: true)).letters
    }

    /// Sends a message that ends as a dead letter.
    func kill(_ deposit: Deposit, id: String, _ adjust: (inout Envelope) -> Void = { _ in }) async throws {
        var envelope = try envelope(deposit, id: id)
        adjust(&envelope)
        send(envelope, for: deposit.account)
        await settle()
    }
}
