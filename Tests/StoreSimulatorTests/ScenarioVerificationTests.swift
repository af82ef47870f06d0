import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("What scenarios sign")
struct ScenarioVerificationTests {
    static let authority = Result { try TestAuthority.make() }

    @Test("Everything is verified as what it is, for its app and environment", arguments: Scenario.all)
    func verified(scenario: Scenario) throws {
        let authority = try Self.authority.get()
        let examiner = ArtifactExaminer(trust: try ArtifactTrust(roots: [authority.root]))
        let story = scenario.story()

        for event in story.events {
            for document in event.documents {
                let bytes = try document.signed(by: authority)
                let examination = try examiner.examine(bytes, expecting: expectations(of: story), at: event.signedAt)
                #expect(examination.kind == document.kind, "\(event.name)")
                #expect(examination.report.verdict == .verified, "\(event.name): \(examination.report.message)")
            }
        }
    }

    @Test("Nothing is for another app, and nothing is believed under another root", arguments: Scenario.all)
    func refused(scenario: Scenario) throws {
        let authority = try Self.authority.get()
        let story = scenario.story()
        var expectations = expectations(of: story)
        expectations.bundleID = "com.example.other"
        expectations.appID = "TEAM123456.com.example.other"
        let event = try #require(story.events.last)
        let document = try #require(event.documents.last)
        let bytes = try document.signed(by: authority)

        let own = try ArtifactExaminer(trust: try ArtifactTrust(roots: [authority.root]))
            .examine(bytes, expecting: expectations, at: event.signedAt)
        expectations = self.expectations(of: story)
        expectations.believesOwnKey = false
        let strange = try ArtifactExaminer(trust: .apple())
            .examine(bytes, expecting: expectations, at: event.signedAt)

        #expect(own.report.verdict == .refused && own.report.reason == .wrongApp, "\(own.report.message)")
        // An assertion is its key's word, which no root stands behind.
        #expect((strange.report.verdict == .refused) == (document.kind != .assertion), "\(strange.report.message)")
    }

    @Test(
        "A receipt says of subscriptions what is true, apart from grace, which receipts do not know",
        arguments: Scenario.all)
    func receipts(scenario: Scenario) throws {
        let authority = try Self.authority.get()
        let examiner = ArtifactExaminer(trust: try ArtifactTrust(roots: [authority.root]))
        let story = scenario.story()

        for event in story.events {
            guard case .receipt(let design) = event.documents[0] else { continue }
            let examination = try examiner.examine(authority.signReceipt(design), at: event.signedAt)
            guard case .verified(.receipt(let signed)) = examination.verdict else {
                Issue.record("\(event.name) is not verified")
                continue
            }
            let held = story.holdings(at: event.signedAt).filter {
                $0.isActive && $0.customer == "buyer" && $0.reason != .gracePeriod && $0.until != nil
            }
            let active = signed.receipt.activeAutoRenewablePurchases(at: event.signedAt)
            #expect(Set(active.map(\.transactionID)) == Set(held.map(\.transactionId)))
            #expect(Set(active.map(\.productID)) == Set(held.map(\.productId)))
        }
    }

    @Test(
        "Nothing that is signed twice at one time says two things: so the order of arrival cannot matter",
        arguments: Scenario.all)
    func unambiguous(scenario: Scenario) {
        let story = scenario.story()
        var said: [String: TransactionPayload] = [:]

        for document in story.events.flatMap(\.documents) {
            let transaction: TransactionPayload? =
                switch document {
                case .transaction(let payload): payload
                case .notification(let design): design.transaction
                default: nil
                }
            guard let transaction, let id = transaction.transactionID else { continue }
            let time = "\(id) \(transaction.signedDate.timeIntervalSince1970)"
            #expect(said[time, default: transaction] == transaction)
            said[time] = transaction
        }
    }

    private func expectations(of story: Story) -> Expectations {
        var expectations = Expectations()
        expectations.bundleID = story.setting.bundleID
        expectations.appID = "\(story.setting.teamID).\(story.setting.bundleID)"
        expectations.appAppleID = story.setting.appAppleID
        expectations.environments = [.production]
        expectations.believesOwnKey = true
        return expectations
    }
}
