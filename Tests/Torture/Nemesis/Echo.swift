import Messages
import Messaging
import Synchronization
import TestSupport

/// Says again, some seconds late, what services have told: under the same id, as after a connection that died before the
/// confirmation, or under another, as when it is told anew long after every inbox has forgotten it. What is newer counts.
final class Echo: Sendable {
    private let publishers: [BrokerUser: any Publisher]
    private let dice: Mutex<SeededGenerator>
    private let stage: Stage
    private let isOver = Mutex(false)

    /// Ids that are not a service's own begin with it.
    static let prefix = "late-"

    init(_ stage: Stage, seed: UInt64) async throws {
        self.stage = stage
        dice = Mutex(SeededGenerator(seed: seed))
        var publishers: [BrokerUser: any Publisher] = [:]
        for service in Installation.services {
            let user = BrokerUser(of: service)
            publishers[user] = try await stage.installation.publisher(as: user)
        }
        self.publishers = publishers
    }

    /// From now on nothing more is said.
    func end() { isOver.withLock { $0 = true } }

    /// Hears what was told under `route`, and repeats one in four.
    func hear(_ envelope: Envelope, by route: Route) {
        guard !isOver.withLock({ $0 }), let id = envelope.id, !id.rawValue.hasPrefix(Self.prefix),
            let kind = envelope.kind, let owner = Catalogue.byKind[kind]?.authors?.first,
            let publisher = publishers[owner]
        else { return }
        let (isMeant, isNew, wait) = dice.withLock { dice in
            (
                Int.random(in: 0..<4, using: &dice) == 0, Bool.random(using: &dice),
                Duration.milliseconds(Int.random(in: 0...6000, using: &dice))
            )
        }
        guard isMeant else { return }
        var copy = envelope
        copy.sequence = nil
        copy.properties.userID = nil
        if isNew { copy.id = MessageID(rawValue: Self.prefix + id.rawValue) }
        let publication = Publication(copy, to: route, isMandatory: false)
        stage.stragglers.add(
            Task { [stage] in
                // What is late comes when it likes.
                try? await Task.sleep(for: wait)
                let outcome = await publisher.publish(publication, deadline: .now + .seconds(5))
                if outcome == .confirmed { stage.tally.add(isNew ? "events told anew, late" : "events doubled") }
            })
    }
}
