import Foundation
import Messages
import Messaging
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("Why, as the operator sees it")
struct UsersWhyTests {
    static let epoch = Timestamp(clamping: 1_772_366_400_000)

    static func entry(
        _ what: TimelineEntry.What, day: Int, effect: TimelineEntry.Effect? = nil, reason: TimelineEntry.Reason? = nil
    ) -> TimelineEntry {
        var entry = TimelineEntry(what, at: epoch, knownAt: epoch + .seconds(day * 86_400))
        entry.realm = .stores
        entry.chain = OriginalTransactionID(rawValue: "1000")
        entry.environment = .production
        entry.effect = effect
        entry.reason = reason
        return entry
    }

    /// The user's side, and one chain's.
    static let view: UserWhyView = {
        var bought = entry(.transactionTold, day: 1, effect: .began)
        bought.transaction = TransactionID(rawValue: "1000-0")
        bought.product = ProductID(rawValue: "pro.monthly")
        bought.signedAt = epoch
        bought.until = epoch + .seconds(30 * 86_400)
        let sandbox = entry(.linkDenied, day: 2, effect: TimelineEntry.Effect.none, reason: .outranked)
        return UserWhyView(
            state: EntitlementState(
                entitlement: EntitlementID(rawValue: "pro"), environment: .production, isActive: true, since: epoch,
                until: epoch + .seconds(30 * 86_400), transaction: TransactionID(rawValue: "1000-0"),
                product: ProductID(rawValue: "pro.monthly"), trust: .verified, isTest: false, reason: .paid,
                willRenew: false),
            at: epoch + .seconds(5 * 86_400), knownAt: epoch + .seconds(6 * 86_400), knownSince: epoch,
            timeline: [bought, sandbox],
            chains: [.init(realm: .stores, originalTransactionID: OriginalTransactionID(rawValue: "1000"))])
    }()

    static let history: ChainHistoryView = {
        var told = entry(.transactionTold, day: 0)
        told.transaction = TransactionID(rawValue: "1000-0")
        told.signedAt = epoch
        told.digest = ArtifactDigest(rawValue: String(repeating: "a", count: 64))
        var claimed = entry(.claimMade, day: 0)
        claimed.user = AppUserID(rawValue: "ev\u{1B}il")
        claimed.rank = .unverified
        claimed.reason = .outranked
        return ChainHistoryView(entries: [told, claimed])
    }()

    private func run(
        _ words: String..., installation: FakeInstallation = FakeInstallation(), view: UserWhyView = view
    ) async throws -> Tool.Ending {
        try await installation.answering(.entitlementResolver) { kind, _ -> (any Encodable & Sendable)? in
            switch kind {
            case UserWhy.kind: Answer.applied(view)
            case ChainHistory.kind: Answer.applied(Self.history)
            default: nil
            }
        } while: {
            await installation.tool(["users", "why", "--app", "com.example.tunes"] + words)
        }
    }

    @Test("The page says what it was and tells the story of both sides in order, on lines of its own")
    func page() async throws {
        let ending = try await run("ann", "pro", "--at", "2026-03-06T12:00:00Z")

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(
            ending.output == """
                pro of ann in com.example.tunes, production
                  ACTIVE since 2026-03-01T12:00:00.000Z, until 2026-03-31T12:00:00.000Z: by transaction 1000-0 of \
                pro.monthly, paid, verified, will not renew
                  at 2026-03-06T12:00:00.000Z, by all that is known now

                2026-03-01T12:00:00.000Z  .  ev\u{FFFD}il claimed chain 1000 (unverified)
                                             -> the claim was weaker than the one behind the link
                2026-03-02T12:00:00.000Z  +  transaction 1000-0 of pro.monthly, bought, as signed 2026-03-01T12:00:00.000Z
                                             -> active from here on, until 2026-03-31T12:00:00.000Z
                                             happened at 2026-03-01T12:00:00.000Z
                                             artifact aaaaaaaaaaaaaaaa
                2026-03-03T12:00:00.000Z  .  somebody claimed chain 1000 and did not get it
                                             -> no effect: the claim was weaker than the one behind the link
                                             happened at 2026-03-01T12:00:00.000Z
                """)
    }

    @Test("What is asked is what the options say, and --json is the answer as the edge gives it, with one timeline")
    func asked() async throws {
        let installation = FakeInstallation()
        let ending = try await run(
            "ann", "pro", "--at", "1772366400000", "--known-at", "2026-03-01T13:00:00+01:00", "--environment",
            "sandbox", "--json", installation: installation)

        let asked = installation.messages.filter { $0.kind == UserWhy.kind }.compactMap {
            try? MessageJSON.decode(UserWhy.self, from: $0.body)
        }
        #expect(asked.map(\.at) == [Self.epoch] && asked.map(\.knownAt) == [Self.epoch])
        #expect(asked.map(\.environment) == [.sandbox])
        let chains = installation.messages.filter { $0.kind == ChainHistory.kind }.compactMap {
            try? MessageJSON.decode(ChainHistory.self, from: $0.body)
        }
        #expect(chains.map(\.originalTransactionID.rawValue) == ["1000"] && chains.map(\.knownAt) == [Self.epoch])
        let answer = try MessageJSON.decode(WhyAnswer.self, from: Array(ending.output.utf8))
        #expect(answer.timeline.count == 3 && answer.state == EntitlementAnswer(Self.view.state))
        #expect(answer.appUserId == "ann" && answer.timeline.map(\.transactionId) == [nil, "1000-0", nil])
        #expect(
            answer.timeline[1].text == """
                transaction 1000-0 of pro.monthly, bought, as signed 2026-03-01T12:00:00.000Z; active from here on, until \
                2026-03-31T12:00:00.000Z
                """)
    }

    @Test("What nothing of his unlocks is said to be so, and not to be so for being of a test app")
    func unlockedByNothing() async throws {
        let nothing = UserWhyView(
            state: EntitlementState(
                entitlement: EntitlementID(rawValue: "pro"), environment: .production, isActive: false, since: nil,
                until: nil, transaction: nil, product: nil, trust: .unverified, isTest: true, reason: nil,
                willRenew: nil),
            at: Self.epoch, knownAt: Self.epoch, knownSince: Self.epoch, timeline: [], chains: [])

        let now = try await run("ann", "pro", view: nothing)
        let then = try await run("ann", "pro", "--at", "1772366400000", view: nothing)
        let known = try await run("ann", "pro", "--known-at", "1772366400000", view: nothing)

        #expect(now.output.contains("  NOT ACTIVE: no transaction of his unlocks it\n"))
        #expect(then.output.contains("  NOT ACTIVE: no transaction of his unlocks it at that time\n"))
        #expect(now.output.hasSuffix("\n\nNothing is known of any purchase of his."))
        #expect(known.output.hasSuffix("\n\nNothing had come to be known by then."))
    }

    @Test("An entitlement that nothing in the app ever unlocked is said to be none, and is exit 1")
    func mistyped() async throws {
        let nothing = UserWhyView(
            state: EntitlementState(
                entitlement: EntitlementID(rawValue: "prp"), environment: .production, isActive: false,
                trust: .unverified, isTest: false),
            at: Self.epoch, knownAt: Self.epoch, knownSince: Self.epoch, isUnlockable: false)

        let page = try await run("ann", "prp", view: nothing)
        let json = try await run("ann", "prp", "--json", view: nothing)

        #expect(page.status == .failed && json.status == .failed)
        #expect(
            page.output.contains("NOT ACTIVE: nothing unlocks prp in this app; tollgate products list says what does"))
        #expect(json.output.contains(#""unlockedByNothing":true"#))
    }

    @Test("A missing operand is named, and so are two")
    func missingOperands() async throws {
        let both = try await run()
        let one = try await run("ann")

        #expect(both.status == .usage && one.status == .usage)
        #expect(both.complaint.contains("tollgate: USER and ENTITLEMENT are missing; see tollgate users why --help"))
        #expect(one.complaint.contains("tollgate: ENTITLEMENT is missing; see tollgate users why --help"))
    }

    @Test(
        "A time that is none, or is beyond all that can be written, is a wrong command line",
        arguments: ["yesterday", "253402300800000"])
    func wrongTime(text: String) async throws {
        let ending = try await run("ann", "pro", "--at", text)

        #expect(ending.status == .usage)
        #expect(ending.complaint.contains("--at \(text): expected a time such as"))
    }
}
