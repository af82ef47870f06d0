import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Notifications of Apple's server", .serialized)
    struct NotificationTests {
        @Test("What comes while the validator is away is judged later; another path takes over; no log has any")
        func life() async throws {
            let installation = try await Installation.start()
            await installation.stop(.attestGateway, SIGTERM)
            try await installation.start(.attestGateway, ["TOLLGATE_LOG_LEVEL": "debug"])
            try await installation.waitUntilReady(.attestGateway)
            let path = try await installation.notificationPath()
            await installation.stop(.receiptValidator)

            let genuine = try NotificationDesign.test(1).signed(by: installation.authority)
            for _ in 0..<3 { #expect(try await installation.notify(path, genuine).status == 200) }
            let forged = try NotificationDesign.test(1).signed(by: TestAuthority.make())
            #expect(try await installation.notify(path, forged).status == 200)
            try await installation.start(.receiptValidator)

            let isJudged = await eventually { (try? await installation.artifacts().count) == 2 }
            #expect(isJudged)
            let kept = try await installation.artifacts()
            #expect(kept.allSatisfy { $0.artifactKind == .notification })
            #expect(kept.map(\.verdict.outcome).sorted() == ["refused", "verified"])
            let reconciled = try await installation.tool(["reconcile", "--wait", "30"])
            #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
            try await expectRotation(of: path, in: installation)
            for service in Installation.services {
                let log = try String(contentsOf: installation.logFile(of: service), encoding: .utf8)
                #expect(!log.contains("nt_"), "\(service)")
            }
            await installation.tearDown()
        }

        /// The old path is good for a while, or ends at once; bodies have up to 1 MiB.
        private func expectRotation(of first: String, in installation: Installation) async throws {
            let notification = try NotificationDesign.test(2).signed(by: installation.authority)
            var statuses: [Int] = []
            let second = try await installation.notificationPath("--old-notification-token", "1h")
            for path in [first, second] { statuses.append(try await installation.notify(path, notification).status) }
            let third = try await installation.notificationPath("--old-notification-token", "0s")
            let hasEnded = await eventually {
                (try? await installation.notify(second, notification))?.status == 404
            }
            for path in [first, second, third] {
                statuses.append(try await installation.notify(path, notification).status)
            }

            #expect(hasEnded)
            #expect(statuses == [200, 200, 404, 404, 200])
            for (count, status) in [(1 << 20, 200), (1 << 20 + 1, 413)] {
                let text = "a.b." + String(repeating: "c", count: count - #"{"signedPayload":"a.b."}"#.utf8.count)
                #expect(try await installation.notify(third, text).status == status)
            }
        }

        @Test("After 1,000 forged ones a day the next is 400 and not kept; a genuine one is always taken")
        func forgeries() async throws {
            let installation = try await Installation.start()
            let path = try await installation.notificationPath()
            let stranger = try TestAuthority.make()

            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                var statuses: [Int] = []
                for number in 0..<1000 {
                    if number >= 16, let status = try await group.next() { statuses.append(status) }
                    let forged = try NotificationDesign.test(number).signed(by: stranger)
                    group.addTask { try await installation.notify(path, forged).status }
                }
                for try await status in group { statuses.append(status) }
                return statuses
            }
            #expect(statuses == [Int](repeating: 200, count: 1000))

            // As soon as the last of them has been refused, and the edge has heard of it.
            let last = try NotificationDesign.test(1000).signed(by: stranger)
            let isFound = await eventually(within: .seconds(60)) {
                let number = try? await installation.number(
                    #"tollgate_verdicts_total{kind="notification",outcome="refused"}"#, of: .receiptValidator)
                guard number ?? 0 >= 1000 else { return false }
                return (try? await installation.notify(path, last))?.status == 400
            }
            #expect(isFound)
            let kept = try await installation.artifacts().count
            for number in 1001..<1020 {
                let forged = try NotificationDesign.test(number).signed(by: stranger)
                #expect(try await installation.notify(path, forged).text.contains("notification_forged"))
            }
            for number in 0..<2 {
                let genuine = try NotificationDesign.test(number).signed(by: installation.authority)
                #expect(try await installation.notify(path, genuine).status == 200)
            }

            let isJudged = await eventually { (try? await installation.artifacts().count) == kept + 2 }
            #expect(isJudged)
            let verified = try await installation.artifacts().filter { $0.verdict.outcome == "verified" }
            #expect(verified.count == 2)
            await installation.tearDown()
        }
    }
}

extension NotificationDesign {
    /// What Apple's server sends when a developer asks for a test.
    fileprivate static func test(_ number: Int) -> NotificationDesign {
        NotificationDesign(
            "TEST", uuid: "00000000-0000-4000-8000-\(String(format: "%012d", number))", signedDate: Date(),
            members: ["bundleId": .string(Installation.app), "environment": .string("Production")])
    }

    fileprivate func signed(by authority: TestAuthority) throws -> String { try authority.signNotification(self) }
}

extension Installation {
    /// A new path for the notifications of the app, as `tollgate apps add` shows it.
    fileprivate func notificationPath(_ options: String...) async throws -> String {
        struct Added: Decodable { let notificationPath: String }
        let output = try await tool(
            ["apps", "add", "--app", Self.app, "--rotate-notification-token", "--json"] + options)
        return try JSONDecoder().decode(Added.self, from: Data(output.output.utf8)).notificationPath
    }

    fileprivate nonisolated func notify(_ path: String, _ signedPayload: String) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(edgePort)\(path)",
                headers: ["Content-Type": "application/json"], body: TestAuthority.requestBody(of: signedPayload),
                timeout: .seconds(15)))
    }
}
