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
