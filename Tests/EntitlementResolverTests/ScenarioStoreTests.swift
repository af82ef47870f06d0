import Foundation
import Messages
import SQLite
import StoreSimulator
import TestSupport
import Testing

@testable import EntitlementResolver

@Suite("Scenarios through the store")
struct ScenarioStoreTests {
    static func user(_ customer: String) -> AppUserID { AppUserID(rawValue: customer) }

    /// A fact as receipt-validator publishes it, from the beginning of time.
    static func letter(_ fact: ScenarioFacts.Fact, for organisation: OrganisationID) throws -> Letter {
        let subject =
            switch fact.told {
            case .transaction(let transaction): "transaction-\(transaction.id)"
            case .renewal: "renewal"
            }
        return try Letter(
            fact, for: organisation,
            id: "\(organisation)-\(fact.digest)-\(subject)-\(fact.revision)-\(fact.isRetraction)", at: .distantPast)
    }

    /// The app, what its products unlock, and whose each chain is.
    static func setting(of facts: ScenarioFacts, for organisation: OrganisationID) throws -> [Letter] {
        var letters = [
            try Letter(
                AppChanged(record: .record(ScenarioFacts.app, of: organisation, isTest: true)), id: "app",
                at: .distantPast, from: .edge)
        ]
        for (product, entitlements) in facts.mapping {
            let mapping = ProductMapping(
                organisation: organisation, app: ScenarioFacts.app, product: product, entitlements: entitlements,
                version: 1, changedAt: .distantPast)
            letters.append(
                try Letter(
                    MappingChanged(mapping: mapping), id: "\(product)", at: .distantPast, from: .resolver))
        }
        for (original, customer) in facts.customers {
            let claim = LinkClaim(
                organisation: organisation, app: ScenarioFacts.app, originalTransactionID: original,
                user: user(customer), rank: .verified)
            letters.append(
                try Letter(claim, id: "\(organisation)-\(original)", at: .distantPast, from: .validator))
        }
        return letters
    }

    @Test(
        "Everything twice, with old periods signed anew, in a handful of orders: the same end", arguments: Scenario.all)
    func anyOrder(scenario: Scenario) async throws {
        let facts = try ScenarioFacts(scenario)
        let all = facts.facts + facts.disturbances
        var known = KnownFacts()
        for fact in all { known.record(fact) }
        let store = try await ResolverStore()

        for seed in UInt64(1)...3 {
            let organisation = OrganisationID(rawValue: "order-\(seed)")
            let letters =
                try Self.setting(of: facts, for: organisation) + all.map { try Self.letter($0, for: organisation) }
            let ledger = try await OrderTests.play(
                letters, seed: seed, in: store, until: Timestamp(facts.story.end))
            let truth = PurchaseLedger.truth(of: facts, knowing: known.subscriptions)
            #expect(ledger.held == truth.held, "\(scenario), seed \(seed)")
            #expect(ledger.refundsOfHeld == truth.refundsOfHeld, "\(scenario), seed \(seed)")

            for (original, expected) in known.subscriptions {
                let chain = ChainID(organisation, ScenarioTests.record.realm, original)
                let found = try await store.database.read { try EvidenceStore.subscriptions(of: chain, in: $0) }
                #expect(found == [expected], "\(scenario), seed \(seed)")
            }
            for customer in ["buyer", "member"] where facts.customers.values.contains(customer) {
                let view = try await store.view(
                    Self.user(customer), app: ScenarioFacts.app, organisation: organisation,
                    at: Timestamp(facts.story.end))
                ScenarioTests.compare(
                    view?.entitlements ?? [], of: customer, with: facts.story.holdings(at: facts.story.end),
                    "of \(scenario), seed \(seed)")
            }
        }
    }

    @Test(
        "As time goes by, a customer sees what is true by what is known then, and what changes is told",
        arguments: Scenario.all)
    func inTime(scenario: Scenario) async throws {
        let facts = try ScenarioFacts(scenario)
        let story = facts.story
        let store = try await ResolverStore()
        for letter in try Self.setting(of: facts, for: .demo) { try await store.settle(letter) }

        for (index, event) in story.events.enumerated() {
            for fact in facts.facts where fact.event == index {
                try await store.settle(try Self.letter(fact, for: .demo), now: Timestamp(event.signedAt))
            }
            let next = index + 1 < story.events.count ? story.events[index + 1].signedAt : .distantFuture
            for moment in story.moments where event.signedAt <= moment && moment < next {
                let time = Timestamp(moment)
                try await store.ringAlarms(now: time)
                for customer in Set(facts.customers.values) {
                    let comment = "of \(scenario) after \(event.name), at \(moment)"
                    let states = try await store.view(Self.user(customer), app: ScenarioFacts.app, at: time)?
                        .entitlements
                    ScenarioTests.compare(
                        states ?? [], of: customer, with: story.holdings(at: moment), comment)
                    let told = try await store.database.read {
                        try ToldEntitlementStore.told(of: Customer(.demo, Self.user(customer)), in: $0)
                    }
                    #expect(Set(told.values) == Set((states ?? []).filter(\.isActive)), "\(comment)")
                }
            }
        }
    }
}
