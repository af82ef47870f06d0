internal import FoundationEssentials
internal import Messages
internal import Messaging
internal import StoreArtifacts
internal import StoreSimulator

/// Makes the messages of a run one after the other, with what is amiss in them on purpose. The same run makes the same
/// sequence of kinds and people.
package struct LoadMaker: Sendable {
    /// How many places later a message comes at most that is held back or said again.
    private static let reach = 64

    private let mix: LoadMix
    private let door: LoadKind.Door
    private let schedule: LoadSchedule
    private var world: LoadWorld
    /// What has to come at a later place.
    private var later: [(place: Int, message: LoadMessage)] = []
    /// The place of the next message.
    private(set) var place = 0

    package init(_ mix: LoadMix, through door: LoadKind.Door, on schedule: LoadSchedule, in world: LoadWorld) {
        self.mix = mix
        self.door = door
        self.schedule = schedule
        self.world = world
    }

    /// The next message; nil: that was all.
    package mutating func next() throws -> LoadMessage? {
        guard place < schedule.count else { return nil }
        var message = try due() ?? fresh()
        // A message that is held back lets another one pass; whatever comes in its place goes.
        if world.dice.hits(mix.part(of: .reordered)) {
            put(message, later: 1...Self.reach)
            message = try fresh()
        }
        message.due = schedule.time(of: place)
        place += 1
        return message
    }

    /// What an earlier place has put here.
    private mutating func due() -> LoadMessage? {
        guard let index = later.firstIndex(where: { $0.place <= place }) else { return nil }
        return later.remove(at: index).message
    }

    private mutating func put(_ message: LoadMessage, later range: ClosedRange<Int>) {
        later.append((place + Int.random(in: range, using: &world.dice), message))
    }

    private mutating func fresh() throws -> LoadMessage {
        if world.dice.hits(mix.part(of: .poison)) { return try poison() }
        if world.dice.hits(mix.part(of: .forged)) { return try forged() }
        if world.dice.hits(mix.part(of: .stale)) { return try stale() }
        var message = try honest()
        if world.dice.hits(mix.part(of: .nameless)) { message.way = nameless(message.way) }
        if world.dice.hits(mix.part(of: .duplicate)) {
            var copy = message
            copy.purpose = .nothing(.duplicate)
            put(copy, later: 1...Self.reach)
        }
        return message
    }

    private mutating func honest() throws -> LoadMessage {
        // At first nobody has bought who could renew: somebody buys instead, or says who he is.
        for kind in [mix.draw(&world.dice), 0, 1] where mix.kinds.indices.contains(kind) {
            guard var message = try mix.kinds[kind].kind.make(&world, door) else { continue }
            message.kind = kind
            return message
        }
        return try LoadKind.identify.make(&world, door) ?? poison()
    }

    /// Strangers may leave out all but kind and body; tools that cannot set `type` set a header.
    private func nameless(_ way: LoadMessage.Way) -> LoadMessage.Way {
        guard case .queue(var publication) = way else { return way }
        let kind = publication.envelope.kind
        publication.envelope.properties = MessageProperties()
        publication.envelope.properties.deliveryMode = 2
        publication.envelope.properties.headers = HeaderTable([
            .init(name: "kind", value: .text(kind?.rawValue ?? ""))
        ])
        return .queue(publication)
    }

    /// A purchase whose signature is not the store's: it unlocks nothing.
    private mutating func forged() throws -> LoadMessage {
        let buyer = world.nextBuyer()
        world.retire(buyer.number)
        var message = try world.attribution(
            of: buyer.purchase.latest, to: buyer.number, through: door, isForged: true, .refuse(person: buyer.number))
        message.kind = -1
        return message
    }

    /// Two messages about one purchase: as it is, and, some places later, what an older signature says: that it has run
    /// out. The newer signature counts, in whatever order they come.
    private mutating func stale() throws -> LoadMessage {
        let buyer = world.nextBuyer()
        var older = buyer.purchase.latest
        older.signedDate -= 60
        older.expiresDate = older.purchaseDate.map { $0 + 3_600 }
        var echo = try world.attribution(of: older, to: buyer.number, through: door, .nothing(.stale))
        echo.kind = -1
        put(echo, later: 1...Self.reach)
        var message = try world.attribution(
            of: buyer.purchase.latest, to: buyer.number, through: door, .unlock(person: buyer.number, period: 0))
        message.kind = mix.kinds.firstIndex { $0.kind.name == LoadKind.attribute.name } ?? -1
        return message
    }

    private mutating func poison() throws -> LoadMessage {
        let choice = Int.random(in: 0..<4, using: &world.dice)
        let bodies: [[UInt8]] = [
            [], Array("this is no JSON".utf8), [0xFF, 0xFE, 0x00, 0x7B],
            Array(#"{"organisation":"\#(world.place.organisation)","app":7,"user":[],"artifact":null}"#.utf8),
        ]
        let body = bodies[choice]
        switch door {
        case .http:
            return LoadMessage(
                kind: -1, way: .http(path: "/api/sdk/v1/attribute", headers: [:], body: body),
                purpose: .nothing(.poison))
        case .queues:
            let kind = world.dice.hits(0.5) ? UserIdentify.kind : ArtifactSubmit.kind
            let service = kind == UserIdentify.kind ? UserIdentify.recipient : ArtifactSubmit.recipient
            let bucket = Bucket.all[Int.random(in: 0..<Bucket.count, using: &world.dice)]
            let envelope = Envelope(kind: kind, id: MessageID(at: .now), body: body)
            return LoadMessage(
                kind: -1,
                way: .queue(Publication(envelope, to: .command(service, bucket), isMandatory: true)),
                purpose: .nothing(.poison))
        }
    }
}
