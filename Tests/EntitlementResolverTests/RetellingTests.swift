import Lane
import Messages
import SQLite
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Telling links again")
struct RetellingTests {
    /// Of two hours.
    static let minutes = 120
    static let interval = Duration.seconds(60 * minutes)

    /// Rings as the clock goes, a minute at a time; the numbers of minutes with what was told in them.
    static func ring(
        _ store: ResolverStore, from: Int, through: Int, every interval: Duration = Self.interval
    ) async throws -> [(minute: Int, told: [Letter])] {
        let alarm = TellLinksAgain(every: interval)
        var told: [(Int, [Letter])] = []
        for minute in from...through {
            let now = Timestamp.noon + .seconds(60 * minute)
            while let due = try await store.database.read({ try alarm.next(in: $0) }), due <= now {
                let letters = try await store.database.write { transaction in
                    var outgoing = Outgoing(
                        cause: MessageID(rawValue: "\(due)"), bucket: Bucket.all[0], acceptedAt: now)
                    try alarm.ring(now: now, in: transaction, outgoing: &outgoing)
                    return outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }
                }
                if !letters.isEmpty { told.append((minute, letters)) }
            }
        }
        return told
    }

    static func store(of chains: Int) async throws -> ResolverStore {
        let store = try await ResolverStore.ofTunes()
        for number in 0..<chains {
            try await store.claim(.ann, on: OriginalTransactionID(rawValue: "c\(number)"), day: -9)
        }
        return store
    }

    @Test("Every link is told once in every interval, evenly over it")
    func evenly() async throws {
        let count = Int(TellLinksAgain.portion) * 8
        let store = try await Self.store(of: count)

        let told = try await Self.ring(store, from: 0, through: 2 * Self.minutes)

        let rounds = [0...Self.minutes, (Self.minutes + 1)...(2 * Self.minutes)].map { round in
            told.filter { round.contains($0.minute) }
        }
        for round in rounds {
            #expect(round.count == 8)
            #expect(Set(round.flatMap(\.told).all(LinkChanged.self).map(\.originalTransactionID)).count == count)
            #expect(round.flatMap(\.told).count == count)
        }
        let gaps = zip(told.dropFirst(), told).map { $0.minute - $1.minute }
        #expect(gaps.allSatisfy { (14...16).contains($0) })
    }

    @Test("It is told under the revisions of then, and changes nothing where it had arrived")
    func revisions() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.claim(.ann, day: -9)
        try await store.verify(.period(0))
        try await store.claim(.stranger, day: -8)
        try await store.verify(.period(0, environment: .sandbox))
        let before = try await store.view(.ann)

        let told = try await Self.ring(store, from: 0, through: Self.minutes).flatMap(\.told)

        let links = told.all(LinkChanged.self)
        #expect(links.map(\.user) == [.ann, .stranger])
        #expect(links.map(\.isHeld) == [true, false])
        #expect(links.map(\.reason) == [nil, .anonymous])
        #expect(links.map(\.revision) == [1, 3])
        let subscriptions = told.all(SubscriptionChanged.self)
        #expect(subscriptions.map(\.environment) == [.production, .sandbox])
        #expect(subscriptions.map(\.revision) == [2, 4])
        for letter in told { #expect(try await store.settle(letter).isEmpty) }
        #expect(try await store.view(.ann) == before)
    }

    @Test("Who was never told that he has lost a chain hears of it the next time around")
    func mended() async throws {
        let store = try await ResolverStore.ofTunes()
        try await store.verify(.period(0))
        try await store.claim(.ann, day: -9)
        let claim = try Letter(
            LinkClaim(organisation: .demo, app: .tunes, originalTransactionID: .first, user: .ben, rank: .verified),
            id: "taken", at: .day(-8), from: .validator)
        let followed = try await store.database.write { try ResolverStore.apply(claim, in: $0).followers }
        for letter in followed where letter.decoded(as: LinkChanged.self)?.isHeld != false {
            try await store.settle(letter)
        }
        #expect(try await store.holders() == ["demo//1000": [.ann, .ben]])

        for letter in try await Self.ring(store, from: 0, through: Self.minutes).flatMap(\.told) {
            try await store.settle(letter)
        }

        #expect(try await store.holders() == ["demo//1000": [.ben]])
    }

    @Test("What was left while nobody was there is not made up for at once")
    func pace() async throws {
        let store = try await Self.store(of: Int(TellLinksAgain.portion) * 8)
        _ = try await Self.ring(store, from: 0, through: 0)

        let told = try await Self.ring(store, from: 3 * Self.minutes, through: 4 * Self.minutes - 1)

        #expect(told.count == 8)
        #expect(told.prefix(2).map(\.minute) == [3 * Self.minutes, 3 * Self.minutes + 15])
    }

    @Test("Never, if the interval is none")
    func never() async throws {
        let store = try await Self.store(of: 1)

        #expect(try await store.database.read { try TellLinksAgain(every: .zero).next(in: $0) } == nil)
    }

    static func resend(
        _ store: ResolverStore, after: Int64? = nil, limit: Int = 500, app: AppID? = nil,
        original: OriginalTransactionID? = nil, organisation: OrganisationID? = .demo
    ) async throws -> (told: [Letter], value: LinksResend.Value?) {
        let request = LinksResend(
            partition: 0, after: after, limit: limit, organisation: organisation, app: app,
            originalTransactionID: original, by: "Zoë", run: MessageID(rawValue: "run"))
        return try await store.database.write { transaction in
            var outgoing = Outgoing(cause: MessageID(rawValue: "r"), bucket: request.bucket, acceptedAt: .noon)
            let context = MessageContext(
                id: MessageID(rawValue: "r"), kind: LinksResend.kind, bucket: request.bucket, acceptedAt: .noon,
                now: .noon, author: .operatorTool)
            let verdict = try ResendLinks().apply(request, context, in: transaction, outgoing: &outgoing)
            guard case .applied(let value) = verdict else { return ([], nil) }
            return (outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }, value)
        }
    }

    @Test("An operator has all, one organisation's, one app's, or one chain's told again, a page at a time")
    func onDemand() async throws {
        let store = try await Self.store(of: 3)
        try await store.connect(.record(.radio, version: 2))
        try await store.claim(.ben, on: OriginalTransactionID(rawValue: "r"), app: .radio, day: -9)

        let first = try await Self.resend(store, limit: 2)
        #expect(first.value == LinksResend.Value(looked: 2, sent: 2, next: 2))
        let rest = try await Self.resend(store, after: 2, limit: 3)
        #expect(rest.value == LinksResend.Value(looked: 2, sent: 2, next: nil))
        #expect((first.told + rest.told).all(LinkChanged.self).count == 4)

        let ofRadio = try await Self.resend(store, app: .radio)
        #expect(ofRadio.told.all(LinkChanged.self).map(\.user) == [.ben])
        let ofOne = try await Self.resend(store, app: .tunes, original: OriginalTransactionID(rawValue: "c1"))
        #expect(ofOne.told.all(LinkChanged.self).map(\.originalTransactionID.rawValue) == ["c1"])
        let others = try await Self.resend(store, organisation: OrganisationID(rawValue: "others"))
        #expect(others.value == LinksResend.Value(looked: 4, sent: 0, next: nil))
    }
}
