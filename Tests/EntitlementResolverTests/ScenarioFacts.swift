import Crypto
import Foundation
import Messages
import ReceiptValidator
import StoreArtifacts
import StoreSimulator

@testable import EntitlementResolver

/// All that receipt-validator would publish of what a store signs in a story, and when the store signed it.
struct ScenarioFacts: Sendable {
    /// What one artifact tells.
    enum Told: Sendable, Hashable {
        case transaction(StoreTransaction)
        case renewal(StoreRenewal)
    }

    struct Fact: Sendable, Hashable {
        var told: Told
        var digest: ArtifactDigest
        /// Which of the story's events it is from.
        var event: Int
        /// How often the verdict on the artifact had turned.
        var revision = 0
        /// It is taken back instead.
        var isRetraction = false

        var source: EntitlementResolver.Evidence.Source { .init(app: ScenarioFacts.app, digest: digest) }

        var original: OriginalTransactionID {
            switch told {
            case .transaction(let transaction): transaction.originalID
            case .renewal(let renewal): renewal.originalID
            }
        }
    }

    static let app = AppID(rawValue: "com.example.tunes")
    static let authority = Result { try TestAuthority.make() }

    let story: Story
    /// In the order in which it was signed.
    let facts: [Fact]

    /// Has every document of a story signed, and judged as the validator judges it for a test app.
    init(_ scenario: Scenario, seed: UInt64 = 1) throws {
        story = scenario.story(seed: seed)
        let authority = try Self.authority.get()
        let purchaseKey = Base64.standard.encode(try authority.purchaseKey.publicKey.der)
        let examiner = try AppExaminer(
            AppRecord(
                organisation: .demo, app: Self.app, testRoots: [Base64.standard.encode(authority.root.der)],
                purchaseKeys: [purchaseKey], teamID: TeamID(rawValue: "TEAM123456"), version: 1, changedAt: .distantPast
            ))
        let cache = ChainCache()
        let end = story.end + 86_400
        var facts: [Fact] = []
        for (index, event) in story.events.enumerated() {
            for document in event.documents {
                let bytes = try document.signed(by: authority)
                let text =
                    document.kind == .receipt ? Base64.standard.encode(bytes) : String(decoding: bytes, as: UTF8.self)
                let kind = Artifact.Kind(rawValue: document.kind.rawValue)
                let examination = try examiner.examine(
                    text, as: kind, at: end, receivedAt: event.signedAt, cache: cache)
                let judged = Judged(examination, as: kind, basis: examiner.basis, at: Timestamp(end))
                guard case .final(let verdict) = judged.judgement, verdict.outcome == "verified" else {
                    throw Unverified(event: event.name, judgement: "\(judged.judgement)")
                }
                let digest = ArtifactDigest(of: text)
                let told =
                    verdict.facts.transactions.map(Told.transaction) + verdict.facts.renewals.map(Told.renewal)
                facts += told.map { Fact(told: $0, digest: digest, event: index) }
            }
        }
        self.facts = facts
    }

    struct Unverified: Error {
        let event: String
        let judgement: String
    }

    /// What only makes it harder: every transaction as it is at the end signed once more, in any order; and what somebody
    /// forged, until the verdict on it turned.
    var disturbances: [Fact] {
        var newest: [TransactionID: StoreTransaction] = [:]
        var renewals: [OriginalTransactionID: StoreRenewal] = [:]
        for fact in facts {
            switch fact.told {
            case .transaction(let transaction) where transaction.ownership != nil:
                if newest[transaction.id].map({ $0.signedAt <= transaction.signedAt }) ?? true {
                    newest[transaction.id] = transaction
                }
            case .renewal(let renewal): renewals[renewal.originalID] = renewal
            default: break
            }
        }
        var disturbances: [Fact] = []
        for (index, transaction) in newest.values.sorted(by: { $1.id < $0.id }).enumerated() {
            var anew = transaction
            anew.signedAt = Timestamp(story.end) + .seconds(index + 1)
            disturbances.append(
                Fact(told: .transaction(anew), digest: .init(rawValue: "anew-\(anew.id)"), event: facts.count))
            var forged = anew
            forged.signedAt = anew.signedAt + .seconds(86_400)
            forged.expiresAt = anew.expiresAt.map { $0 + .seconds(9_000 * 86_400) }
            forged.revokedAt = nil
            disturbances += Self.turned(.transaction(forged), "forged-\(anew.id)", event: facts.count)
        }
        for renewal in renewals.values {
            var forged = renewal
            forged.signedAt = Timestamp(story.end) + .seconds(86_400)
            forged.graceExpiresAt = forged.signedAt + .seconds(86_400)
            forged.willRenew = false
            disturbances += Self.turned(.renewal(forged), "forged-\(renewal.originalID)", event: facts.count)
        }
        return disturbances
    }

    private static func turned(_ told: Told, _ digest: String, event: Int) -> [Fact] {
        let fact = Fact(told: told, digest: .init(rawValue: digest), event: event)
        var retraction = fact
        retraction.revision = 1
        retraction.isRetraction = true
        return [fact, retraction]
    }

    /// By first transaction, whose it is.
    var customers: [OriginalTransactionID: String] {
        var customers: [OriginalTransactionID: String] = [:]
        for fact in facts { customers[fact.original] = "buyer" }
        for period in story.periods {
            customers[OriginalTransactionID(rawValue: period.originalTransactionId)] = period.customer
        }
        return customers
    }

    /// Each product unlocks what is called like it. What is used up unlocks nothing; but neither Google nor AppCoins says
    /// that it is.
    var mapping: [ProductID: [EntitlementID]] {
        var mapping: [ProductID: [EntitlementID]] = [:]
        for part in ScenarioSetting.Products.Part.allCases
        where part != .coins || !story.scenario.hasSuffix("-purchases") {
            let product = story.setting.products[part].id
            mapping[ProductID(rawValue: product)] = [EntitlementID(rawValue: product)]
        }
        return mapping
    }
}
