import Foundation
import Messages
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Ownership of partitions", .serialized)
    struct OwnershipTests {
        @Test("A second process on the same store is told who holds it, and ends")
        func sameStore() async throws {
            let installation = try await Installation.start()

            let second = try await BuiltExecutable("receipt-validator").run(
                [],
                environment: await installation.environment(
                    of: .receiptValidator, ["TOLLGATE_HEALTH_PORT": String(try freePort())]))

            #expect(second.status == 1)
            #expect(second.errors.contains("in use by process"))
            #expect(await installation.isReady(.receiptValidator))
            await installation.tearDown()
        }

        @Test("A second process on a copy of the store waits, takes over when the first dies, and nothing is lost")
        func copyOfStore() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(400, seed: 31, signedBy: installation.authority)
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let copy = installation.folder.appendingPathComponent("copy")
            try FileManager.default.copyItem(atPath: installation.storeFolder(of: service), toPath: copy.path)
            try await installation.start(service)
            try await installation.waitUntilReady(service)

            let port = try freePort()
            let log = installation.folder.appendingPathComponent("copy.log")
            _ = FileManager.default.createFile(atPath: log.path, contents: nil)
            let handle = try FileHandle(forWritingTo: log)
            let second = try RunningProgram(
                BuiltExecutable(service.rawValue),
                environment: await installation.environment(
                    of: service, ["TOLLGATE_STORE": copy.path, "TOLLGATE_HEALTH_PORT": String(port)]),
                output: handle, errors: handle)
            let standsBy = try await eventually {
                try String(contentsOf: log, encoding: .utf8).contains("standby")
            }
            #expect(standsBy)

            let sending = Task { try await load.send(to: installation) }
            _ = await eventually { (try? await installation.entitlement(of: "user-31-100")) != nil }
            await installation.stop(service, SIGKILL)
            let tookOver = try await eventually {
                try String(contentsOf: log, encoding: .utf8).contains("\"message\":\"consuming\"")
            }
            #expect(tookOver)
            _ = try await sending.value

            second.signal(SIGTERM)
            #expect(await second.exitStatus == 0)
            // What the first one had stored and acknowledged, and not published, is in its own store: it comes back.
            try await installation.start(service)
            try await installation.waitUntilReady(service)
            for purchase in load.purchases {
                let isActive = await eventually {
                    (try? await installation.entitlement(of: purchase.user))?.active == true
                }
                #expect(isActive, "\(purchase.user)")
            }
            await installation.tearDown()
        }

        @Test("A service without a store refuses to start, and says how to make one")
        func noStore() async throws {
            let installation = try await Installation.start()

            let output = try await BuiltExecutable("entitlement-resolver").run(
                [],
                environment: await installation.environment(
                    of: .entitlementResolver,
                    ["TOLLGATE_STORE": installation.folder.path, "TOLLGATE_HEALTH_PORT": String(try freePort())]))

            #expect(output.status == 1)
            #expect(output.errors.contains("store create"))
            await installation.tearDown()
        }
    }
}
