import Foundation
import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EventIngest

/// Messages in seeded orders, doubled, over one partition and four: the end is what the messages say, not their order.
@Suite("Any order")
struct OrderTests {
    /// Messages of a few users, with repeats by id and by time, among which are names beyond the budget or not.
    static func letters(names: Int, using random: inout SeededGenerator) throws -> [Letter] {
        try (0..<50).map { number in
            let time = IngestRig.noon - .seconds(Int64.random(in: 0...3600, using: &random))
            let events = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                let name = EventName(rawValue: "name_\(Int.random(in: 0..<names, using: &random))")
                return SignpostEvent(
                    name: Int.random(in: 0..<20, using: &random) == 0 ? EventName(rawValue: "Bad") : name,
                    id: Bool.random(using: &random) ? "\(Int.random(in: 0..<20, using: &random))" : nil,
                    sentAt: Bool.random(using: &random) ? "\(Int.random(in: 0..<4, using: &random))" : nil)
            }
            return try Letter(
                EventsRecord(
                    organisation: IngestRig.organisation, app: IngestRig.app,
                    user: AppUserID(rawValue: "user_\(Int.random(in: 0..<4, using: &random))"), events: events,
                    trust: Bool.random(using: &random) ? .attested : .unverified), id: "m\(number)", at: time,
                // What a stranger says of his trust is not believed.
                from: Int.random(in: 0..<4, using: &random) == 0 ? .load : BrokerUser(of: .attestGateway))
        }
    }

    /// What has to be there in the end, whatever the order, if these names are the app's: of each identity what an attested
    /// caller said last, or, if none did, what anybody did.
    static func expected(
        of letters: [Letter], names: Set<EventName>, without released: [EventName: Timestamp] = [:]
    ) throws -> Set<String> {
        var last: [String: (version: (Int, Timestamp, String, Int), line: String)] = [:]
        for letter in letters {
            let message = try MessageJSON.decode(EventsRecord.self, from: letter.body)
            for (place, event) in message.events.enumerated() where names.contains(event.name) {
                if let time = released[event.name], letter.acceptedAt <= time { continue }
                let identity =
                    event.id.map { "id \($0)" } ?? event.sentAt.map { "at \(event.name) \($0)" }
                    ?? "\(letter.id) \(place)"
                let key = "\(message.user) \(identity)"
                let isAttested = message.trust == .attested && letter.author == BrokerUser(of: .attestGateway)
                let version = (isAttested ? 1 : 0, letter.acceptedAt, letter.id.rawValue, place)
                if let known = last[key], known.version > version { continue }
                last[key] = (version, "\(key): \(event.name) \(letter.id) \(letter.acceptedAt.rfc3339)")
            }
        }
        return Set(last.values.map(\.line))
    }

    static func found(_ rig: IngestRig) async throws -> Set<String> {
        Set(
            try await rig.partitions.asyncFlatMap { database in
                try await database.read { snapshot in
                    try snapshot.all(
                        SQL(
                            composed: """
                                SELECT user, name, id, sent_at, message_id, place, accepted_at FROM events
                                WHERE \(EventStore.isShown)
                                """)
                    ) { row in
                        let (name, message) = (try row.text(1), try row.text(4))
                        let identity =
                            try row.textOrNil(2).map { "id \($0)" } ?? row.textOrNil(3).map { "at \(name) \($0)" }
                            ?? "\(message) \(row.int(5))"
                        return "\(try row.text(0)) \(identity): \(name) \(message) \(try row.time(6).rfc3339)"
                    }
                }
            })
    }

    /// Delivers everything, and what follows from it, in an order of its own: any letter twice, partitions in turn.
    static func deliver(_ letters: [Letter], to rig: IngestRig, using random: inout SeededGenerator) async throws {
        var queues = Array(repeating: [Letter](), count: rig.partitions.count)
        func post(_ letters: [Letter], using random: inout SeededGenerator) {
            for letter in letters {
                for partition in rig.addressees(of: letter) {
                    queues[partition] += Array(repeating: letter, count: Int.random(in: 1...2, using: &random))
                }
            }
        }
        post(letters, using: &random)
        while true {
            guard let partition = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(using: &random) else {
                let followers = try await rig.ringAlarms()
                guard !followers.isEmpty else { return }
                post(followers, using: &random)
                continue
            }
            queues[partition].shuffle(using: &random)
            let batch = Array(queues[partition].prefix(Int.random(in: 1...40, using: &random)))
            queues[partition].removeFirst(batch.count)
            post(try await rig.apply(batch, in: partition), using: &random)
            if Int.random(in: 0..<10, using: &random) == 0 { post(try await rig.ringAlarms(), using: &random) }
        }
    }

    @Test(
        "Within the budget all orders end in the same events; beyond it every partition has the same 32 names, and theirs",
        arguments: [1, 4], [20, 45])
    func orders(partitions: Int, names: Int) async throws {
        for seed in 1...UInt64(4) {
            var random = SeededGenerator(seed: seed)
            let rig = try await IngestRig(partitions: partitions)
            let letters = try Self.letters(names: names, using: &random)

            try await Self.deliver(letters, to: rig, using: &random)

            let books = try await rig.books()
            let accepted = Set(books[0].names.map(\.name))
            #expect(books.allSatisfy { Set($0.names.map(\.name)) == accepted }, "seed \(seed)")
            #expect(accepted.count <= EventName.budget, "seed \(seed)")
            #expect(names < 32 ? accepted.count <= names : accepted.count == 32, "seed \(seed)")
            #expect(try await rig.waiting() == 0, "seed \(seed)")
            #expect(
                try await Self.found(rig) == Self.expected(of: letters, names: accepted), "seed \(seed)")
        }
    }

    @Test(
        "An erasure takes what was accepted before it and nothing else, before and after and between",
        arguments: [1, 4])
    func erasures(partitions: Int) async throws {
        let ann = AppUserID(rawValue: "user_1")
        for seed in 1...UInt64(4) {
            var random = SeededGenerator(seed: seed)
            let rig = try await IngestRig(partitions: partitions)
            let letters = try Self.letters(names: 20, using: &random)
            let erased = UserErased(
                organisation: IngestRig.organisation, user: ann, erasedAt: IngestRig.noon - .seconds(1800),
                erasure: MessageID(rawValue: "erasure"))
            let erasure = try Letter(
                erased, id: "erased", at: erased.erasedAt, from: BrokerUser(of: .entitlementResolver))

            try await Self.deliver(letters + [erasure], to: rig, using: &random)

            let left = try letters.filter {
                try MessageJSON.decode(EventsRecord.self, from: $0.body).user != ann
                    || $0.acceptedAt > erased.erasedAt
            }
            let names = Set(try await rig.books()[0].names.map(\.name))
            #expect(try await Self.found(rig) == Self.expected(of: left, names: names), "seed \(seed)")
        }
    }
}

extension Sequence where Element: Sendable {
    fileprivate func asyncFlatMap<Value>(_ body: (Element) async throws -> [Value]) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values += try await body(element) }
        return values
    }
}
