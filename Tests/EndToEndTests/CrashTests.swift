import Crypto
import Foundation
import Messages
import Messaging
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Messages that a process dies of", .serialized)
    struct CrashTests {
        @Test("The message that kills the process again and again becomes a dead letter; its neighbours pass")
        func deadly() async throws {
            let installation = try await Installation.start()
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let store = installation.folder.appendingPathComponent("dummy").path
            try await installation.succeed("store", "create", service.rawValue, "--store", store)
            let stranger = try await installation.publisher(as: .load)
            let texts = (0..<60).map { $0 == 31 ? "deadly" : "harmless \($0)" }
            let publications = try texts.map { text in
                let message = ArtifactSubmit(
                    organisation: OrganisationID(rawValue: Installation.organisation),
                    app: AppID(rawValue: Installation.app), artifact: Artifact(kind: .transaction, text: text),
                    digest: ArtifactDigest(rawValue: Digest.sha256(text.utf8).hexadecimal))
                let envelope = Envelope(
                    kind: ArtifactSubmit.kind, id: MessageID(at: .now), body: try MessageJSON.encode(message))
                return Publication(envelope, to: .command(service, message.bucket), isMandatory: true)
            }
            let outcomes = await stranger.publish(publications, deadline: .now + .seconds(10))
            #expect(outcomes.allSatisfy { $0 == .confirmed })

            var deaths = 0
            var report = ""
            while deaths < 10, !report.contains("crashed") {
                try await installation.start(service, ["TOLLGATE_STORE": store], executable: "crash-dummy")
                _ = await eventually(within: .seconds(20), every: .milliseconds(100)) {
                    report = (try? await installation.reconciliation()) ?? ""
                    return await installation.hasEnded(service) || report.contains("crashed")
                }
                if await installation.hasEnded(service) { deaths += 1 }
            }

            #expect((4...7).contains(deaths), "\(deaths) deaths")
            #expect(report.contains("crashed"))
            let applied = await eventually { (try? await installation.applied(by: service)) == 59 }
            #expect(applied, "\(report)")
            await installation.tearDown()
        }
    }
}
