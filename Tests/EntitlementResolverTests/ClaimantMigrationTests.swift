import Messages
import SQLite
import Testing
import TestSupport

@testable import EntitlementResolver

@Suite("What claimants were told, in an older store")
struct ClaimantMigrationTests {
    @Test("Holders, losers and those who were denied are told again as it is; who was never told hears of it")
    func migrated() async throws {
        let old = try await OlderStore(migrations: 2) { transaction in
            for (revision, user, rank, since) in [(1, "ann", 1, 10), (3, "ben", 1, 20), (5, "cid", 2, 30)] {
                try transaction.run(
                    "INSERT INTO link_history VALUES ('demo', '', '1000', 0, ?, ?, ?, ?, 'm', 0)", SQLValue(revision),
                    .text(user), SQLValue(rank), SQLValue(since))
            }
            try transaction.run("INSERT INTO chains VALUES ('demo', '', '1000', 0, 7, 'cid', 2, 30)")
            for (user, time, outcome) in [
                ("ann", 10, "established"), ("dan", 40, "outranked"), ("ann", 50, "outranked"),
            ] {
                try transaction.run(
                    "INSERT INTO claims VALUES ('demo', '', '1000', 0, ?, ?, 'app', ?, 1, 'move', ?)",
                    SQLValue(time), .text("m-\(user)-\(time)"), .text(user), .text(outcome))
            }
        }

        let database = try await old.migrated()
        let told = try await database.read {
            try ToldLinkStore.page(of: ChainID(.demo, .stores, .first), after: 0, limit: 9, in: $0)
        }

        let found = Dictionary(uniqueKeysWithValues: told.map { ($0.user.rawValue, $0) })
        func standing(_ isHeld: Bool, _ rank: ClaimRank, _ since: Int64, _ reason: TimelineEntry.Reason?) -> Standing {
            Standing(isHeld: isHeld, rank: rank, since: Timestamp(clamping: since), reason: reason)
        }
        #expect(
            found.mapValues(\.standing) == [
                "cid": standing(true, .verified, 30, nil), "ben": standing(false, .verified, 30, .outranked),
                "ann": standing(false, .attested, 20, .moved), "dan": standing(false, .verified, 40, .outranked),
            ])
        #expect(found.mapValues(\.revision) == ["cid": 5, "ben": 5, "ann": 3, "dan": 7])
    }
}
