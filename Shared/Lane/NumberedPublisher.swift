public import Messages
public import Messaging
public import ServiceKit
internal import Synchronization

/// A publisher whose every command and event carries `publisher` and `seq`, and which tells from time to time how far
/// the broker has confirmed them: so that what was lost can be named by its number.
///
/// One per process. As a service it publishes the checkpoints: every five seconds where something was sent, and at an
/// orderly stop.
public final class NumberedPublisher: Publisher, Service {
    /// How often a publisher says how far it has come.
    public static let interval = Setting<Duration>.duration(
        "TOLLGATE_CHECKPOINT_INTERVAL", default: "5s",
        "Between two checkpoints of a publisher; the same for the whole installation")

    /// This incarnation.
    public let id: PublisherID
    private let inner: any Publisher
    private let interval: Duration
    private let sequence = Mutex(PublisherSequence())

    /// - Parameters:
    ///   - service: who publishes.
    ///   - inner: sends.
    ///   - interval: between checkpoints.
    public init(service: ServiceName, over inner: any Publisher, interval: Duration = .seconds(5)) {
        id = PublisherID(of: service, instance: MessageID(at: .now).rawValue)
        self.inner = inner
        self.interval = interval
    }

    /// Numbers what goes to the exchanges of commands and events, and publishes all of it.
    public func publish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        let numbered = sequence.withLock { sequence in
            publications.map { publication in
                guard publication.route.exchange.isNumbered else { return publication }
                var numbered = publication
                numbered.envelope.sequence = PublisherNumber(
                    publisher: id, number: sequence.next(for: publication.route))
                return numbered
            }
        }
        let outcomes = await inner.publish(numbered, deadline: deadline)
        let now = Timestamp.now
        sequence.withLock { sequence in
            for (publication, outcome) in zip(numbered, outcomes) {
                guard publication.route.exchange.isNumbered, let number = publication.envelope.sequence else {
                    continue
                }
                sequence.settle(number.number, of: publication.route, outcome, at: now)
            }
        }
        return outcomes
    }

    /// What it would tell now, of every routing key under which it has sent something.
    var published: [PartitionReport.Numbers] {
        sequence.withLock { sequence in
            sequence.checkpoints(everything: true).map { checkpoint in
                PartitionReport.Numbers(
                    publisher: id, routingKey: checkpoint.route.routingKey, seen: NumberSet(),
                    checkpoint: PublisherCheckpoint(
                        publisher: id, routingKey: checkpoint.route.routingKey, through: checkpoint.through,
                        unconfirmed: checkpoint.unconfirmed, isFinal: false),
                    checkpointAt: sequence.lastSettled(on: checkpoint.route))
            }.sorted { $0.routingKey < $1.routingKey }
        }
    }

    /// Publishes copies, which keep the number that they have.
    func republish(_ publications: [Publication], deadline: ContinuousClock.Instant) async -> [PublishOutcome] {
        await inner.publish(publications, deadline: deadline)
    }

    /// Sends without numbers: replies.
    public func send(_ publications: [Publication]) async { await inner.send(publications) }

    /// Tells checkpoints until cancelled, then the final ones.
    public func run() async throws {
        while !Task.isCancelled {
            try? await Task.sleep(for: interval)
            if !Task.isCancelled { await tell(isFinal: false) }
        }
        await tell(isFinal: true)
    }

    private func tell(isFinal: Bool) async {
        let checkpoints = sequence.withLock { $0.checkpoints(everything: isFinal) }
        let publications = checkpoints.compactMap { checkpoint -> Publication? in
            let body = PublisherCheckpoint(
                publisher: id, routingKey: checkpoint.route.routingKey, through: checkpoint.through,
                unconfirmed: checkpoint.unconfirmed, isFinal: isFinal)
            guard let bytes = try? MessageJSON.encode(body) else { return nil }
            let envelope = Envelope(kind: PublisherCheckpoint.kind, id: MessageID(at: .now), body: bytes)
            return Publication(envelope, to: checkpoint.route, isMandatory: checkpoint.route.exchange == .commands)
        }
        guard !publications.isEmpty else { return }
        let outcomes = await inner.publish(publications, deadline: .now + .seconds(2))
        sequence.withLock { sequence in
            for (checkpoint, outcome) in zip(checkpoints, outcomes) where outcome == .confirmed {
                sequence.told(checkpoint)
            }
        }
    }
}
