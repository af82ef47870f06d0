internal import Messages
internal import Messaging
internal import SQLite
internal import ServiceKit

/// Waits, with everything in hand, while a store takes no writes or the broker takes no copies: that is ours, and charged
/// to no message.
struct Patience: Sendable {
    /// It has taken so long, or the lane is to stop, that the deliveries go back.
    struct Exhausted: Error {}

    let address: PartitionAddress
    let database: Database
    let publisher: NumberedPublisher
    /// How long it waits.
    let limit: Duration
    let stop: StopRequest
    let state: PartitionState
    let logger: Logger

    /// Runs `body` in a transaction; while the store cannot be written, waits with everything in hand.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing Transaction) throws -> Value
    ) async throws -> Value {
        var paused: ContinuousClock.Instant?
        var wait = Duration.milliseconds(100)
        while true {
            do {
                let value = try await database.write(body)
                if paused != nil {
                    state.set(.consuming)
                    logger.info("store takes writes again", ["partition": .string(address.description)])
                }
                return value
            } catch let error as SQLiteError where error.isOurs {
                if paused == nil {
                    logger.error(
                        "paused: the store takes no writes",
                        ["partition": .string(address.description), "error": .string(error.debugDescription)])
                }
                state.set(.paused("\(error)"))
                let since = paused ?? .now
                paused = since
                if stop.isRequested || .now - since > limit { throw Exhausted() }
            }
            await stop.sleep(for: wait)
            wait = min(wait * 2, .seconds(5))
        }
    }

    /// Publishes copies until the broker has each of them; only then may the originals go.
    ///
    /// - Returns: the positions of those that can never be sent.
    func publish(_ copies: [(index: Int, publication: Publication)]) async throws -> [Int] {
        var rest = copies
        var unsendable: [Int] = []
        var wait = Duration.milliseconds(50)
        let started = ContinuousClock.now
        while true {
            let outcomes = await publisher.republish(rest.map(\.publication), deadline: .now + .seconds(5))
            let results = zip(rest, outcomes)
            unsendable += results.filter { $1 == .notSent(.unsendable) }.map(\.0.index)
            let failed = results.filter { $1 != .confirmed && $1 != .notSent(.unsendable) }
            rest = failed.map(\.0)
            guard let example = failed.first else {
                if wait > .milliseconds(50) { state.set(.consuming) }
                return unsendable
            }
            logger.warning(
                "copies not confirmed",
                [
                    "count": .integer(rest.count), "outcome": "\(example.1)",
                    "routing_key": .string(example.0.publication.route.routingKey),
                ])
            state.set(.paused("The broker does not take \(rest.count) copies: \(example.1)"))
            // The deliveries go back with the session; the messages are as they were.
            if stop.isRequested || .now - started > limit { throw Exhausted() }
            await stop.sleep(for: wait)
            wait = min(wait * 2, .seconds(5))
        }
    }
}
