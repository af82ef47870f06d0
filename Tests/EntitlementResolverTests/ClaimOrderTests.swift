import Lane
import Messages
import Messaging
import SQLite
import Testing
import TestSupport

@testable import EntitlementResolver

/// Claims with everything that may become of them, in any order.
@Suite("Order of claims")
struct ClaimOrderTests {
    static let cid = AppUserID(rawValue: "cid")
    static let users: [AppUserID] = [.ann, .ben, .stranger, cid]
    static let chains = (1...4).map { OriginalTransactionID(rawValue: "c\($0)") }

    /// Something that is said of chains.
    enum Word: Sendable {
        case letter(Letter, at: Timestamp = .noon)
        /// An operator's: not as his message, which is refused where he has not seen what is.
        case ruling(ChainID, Claim)

        func apply(in transaction: borrowing Transaction) throws -> [Letter] {
            switch self {
            case .letter(let letter, let now):
                return try ResolverStore.apply(letter, now: now, in: transaction).followers
            case .ruling(let chain, let claim):
                guard try !ClaimStore.contains(claim.version, to: chain, in: transaction) else { return [] }
                var outgoing = Outgoing(
                    cause: claim.version.message, bucket: chain.bucket, acceptedAt: claim.version.acceptedAt)
                _ = try ChainSettlement(chain: chain, cause: claim.version.message, now: .noon)
                    .settle(adding: claim, in: transaction, outgoing: &outgoing)
                return outgoing.publications.compactMap { Letter($0, from: .entitlementResolver) }
            }
        }
    }

    /// For one organisation: denied claims, pins and one that is lifted, an artifact that is taken back, an erasure.
    static func script(for organisation: OrganisationID) throws -> [Word] {
        var words: [Word] = []
        func send(_ message: some Message, day: Double, from author: BrokerUser = .validator) throws {
            words.append(
                .letter(
                    try Letter(message, id: "\(organisation)-\(words.count + 100)", at: .day(day), from: author)))
        }
        func claim(
            _ user: AppUserID, _ rank: ClaimRank, on chain: Int, app: AppID = .tunes, artifact: Int? = nil, day: Double
        ) throws {
            try send(
                LinkClaim(
                    organisation: organisation, app: app, originalTransactionID: chains[chain], user: user, rank: rank,
                    digest: artifact.map { ArtifactDigest(rawValue: "d\($0)") }, rankWithout: .attested), day: day)
        }
        try send(AppChanged(record: .record(of: organisation)), day: -100, from: .edge)
        try send(AppChanged(record: .record(.radio, of: organisation, policy: .keep)), day: -100, from: .edge)
        for (number, chain) in chains.enumerated() {
            try send(
                TransactionVerified(
                    organisation: organisation, app: .tunes, isTest: false,
                    digest: ArtifactDigest(rawValue: "d\(number)"), transaction: .period(0, of: chain)), day: -10)
        }
        // Denied for every reason, and moved to and fro.
        try claim(.stranger, .unverified, on: 0, day: -9)
        try claim(.ann, .verified, on: 0, day: -8)
        try claim(.ben, .attested, on: 0, day: -7)
        try claim(.stranger, .accountToken, on: 0, day: -6)
        try claim(.ben, .verified, on: 0, app: .radio, day: -5)
        try claim(.ben, .verified, on: 0, day: -4)
        try claim(.ann, .attested, on: 0, day: -3)
        // A claim loses its grounds, and with them the link; another one's come back.
        try claim(.ann, .verified, on: 1, artifact: 1, day: -9)
        try claim(.ben, .attested, on: 1, day: -8)
        try send(
            TransactionRetracted(
                organisation: organisation, app: .tunes, isTest: false, digest: ArtifactDigest(rawValue: "d1"),
                revision: 1, transactionID: StoreTransaction.period(0, of: chains[1]).id,
                originalTransactionID: chains[1], environment: .production, reason: "untrusted_chain"), day: -7)
        // An operator's words, among claims.
        let ruled = ChainID(organisation, .stores, chains[2])
        func version(_ id: String, day: Double) -> FactVersion {
            FactVersion(.day(day), MessageID(rawValue: "\(organisation)-\(id)"))
        }
        try claim(.ann, .attested, on: 2, day: -9)
        try claim(.ben, .verified, on: 2, day: -8)
        words.append(.ruling(ruled, .pin(to: .ann, version("pin", day: -7), through: .tunes)))
        try claim(.ben, .accountToken, on: 2, day: -6)
        words.append(.ruling(ruled, .unpin(version("unpin", day: -5), through: .tunes)))
        try claim(.ben, .unverified, on: 2, day: -4)
        // Somebody who is erased had taken it; who had it before does not get it, who claims it later does.
        try claim(.ann, .verified, on: 3, day: -9)
        try claim(cid, .verified, on: 3, day: -8)
        let erasure = UserErase(organisation: organisation, user: cid, by: "Zoë")
        words.append(
            .letter(
                try Letter(erasure, id: "\(organisation)-erasure", at: .day(-7.5), from: .operatorTool), at: .day(-7.5))
        )
        try claim(.stranger, .unverified, on: 3, day: -7)
        return words
    }

    static func play(_ words: [Word], seed: UInt64, in store: ResolverStore) async throws {
        try await store.database.write { transaction in
            var random = SeededGenerator(seed: seed)
            var bag = words + words
            while !bag.isEmpty {
                let word = bag.remove(at: Int.random(in: bag.indices, using: &random))
                do {
                    let followers = try word.apply(in: transaction).map { Word.letter($0) }
                    bag += followers + followers
                } catch let fault as MessageFault where fault.duration == .forNow {
                    bag.append(word)
                }
            }
        }
        // An erasure is followed in its own time.
        for letter in try await store.ringAlarms(now: .noon) { try await store.settle(letter) }
    }

    /// What everybody sees, and what everybody was told.
    struct Outcome: Equatable {
        var views: [AppUserID: UserView] = [:]
        var claims: [String: [String]] = [:]
        var told: [String: [AppUserID: Standing]] = [:]
    }

    static func outcome(for organisation: OrganisationID, in store: ResolverStore) async throws -> Outcome {
        var outcome = Outcome()
        for user in users { outcome.views[user] = try await store.view(user, organisation: organisation) }
        for original in chains {
            let chain = ChainID(organisation, .stores, original)
            outcome.claims[original.rawValue] = try await store.database.read {
                try ClaimStore.all(to: chain, in: $0).map {
                    "\($0.claim.user.told) \($0.claim.rank) \($0.outcome?.rawValue ?? "")"
                }
            }
            outcome.told[original.rawValue] = try await store.database.read {
                try ToldLinkStore.standings(to: chain, in: $0)
            }
        }
        return outcome
    }

    @Test("Everything twice, in 500 orders: the same claims, the same links, and everybody told the same in the end")
    func anyOrder() async throws {
        let store = try await ResolverStore()
        let reference = OrganisationID(rawValue: "in order")
        for word in try Self.script(for: reference) {
            let followers = try await store.database.write { try word.apply(in: $0) }
            for letter in followers { try await store.settle(letter) }
            for letter in try await store.ringAlarms(now: .noon) { try await store.settle(letter) }
        }
        let expected = try await Self.outcome(for: reference, in: store)
        // The play has the end that it was written for.
        #expect(
            expected.claims["c1"] == [
                "$anon_7 unverified established", "ann verified moved", "ben attested outranked",
                "$anon_7 accountToken anonymous", "ben verified kept", "ben verified moved", "ann attested outranked",
            ])
        #expect(
            expected.claims["c2"] == ["ann attested established", "ben attested moved"])
        #expect(
            expected.claims["c3"] == [
                "ann attested established", "ben verified moved", "ann pinned pinned", "ben accountToken outranked",
                " pinned unpinned", "ben unverified outranked",
            ])
        #expect(
            expected.claims["c4"] == [
                "ann verified established", " verified moved", "$anon_7 unverified established",
            ])
        #expect(expected.told["c4"]?.mapValues(\.isHeld) == [.ann: false, .stranger: true])
        #expect(expected.views[Self.cid] == nil)

        for seed in UInt64(1)...500 {
            let organisation = OrganisationID(rawValue: "order-\(seed)")
            try await Self.play(try Self.script(for: organisation), seed: seed, in: store)

            let outcome = try await Self.outcome(for: organisation, in: store)

            guard outcome == expected else {
                Issue.record("seed \(seed): \(String(reflecting: outcome)) instead of \(String(reflecting: expected))")
                return
            }
        }
        #expect(try await store.holders().values.allSatisfy { $0.count == 1 }, "transactions held by two")
    }
}
