import Foundation
import HTTPClient
import Messages
import Synchronization
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Trouble with the broker", .serialized)
    struct BrokerTests {
        @Test("A broker that dies under load and comes back loses nothing that was accepted")
        func restarted() async throws {
            let installation = try await Installation.start(on: .ownNodes())
            let load = try PurchaseLoad(1_000, seed: 11, signedBy: installation.authority)
            let late = try PurchaseLoad(50, seed: 15, signedBy: installation.authority)

            let accepted = Mutex(0)
            let sending = Task { try await load.send(to: installation) { accepted.withLock { $0 += 1 } } }
            // By what was accepted: what the services have made of it may come after all of them were sent.
            _ = await eventually { accepted.withLock { $0 } >= 200 }
            try await installation.broker.kill()
            // All of the others may have been sent before it was dead.
            let sendingLate = Task { try await late.send(to: installation) }
            try await installation.broker.startAgain()
            _ = try await sending.value
            let repeats = try await sendingLate.value

            #expect(repeats > 0, "the broker was never missed")
            for service in Installation.services { try await installation.waitUntilReady(service) }
            try await load.expectApplied(in: installation)
            try await late.expectApplied(in: installation)
            await installation.tearDown()
        }

        @Test("A broker short of memory: 503 with Retry-After within a second, and 200 again after it")
        func memoryAlarm() async throws {
            let installation = try await Installation.start(on: .ownNodes())
            let load = try PurchaseLoad(40, seed: 12, signedBy: installation.authority)
            try await installation.broker.setMemoryAlarm(true)

            // The broker tells a connection that it is blocked when that connection publishes next.
            var refused = false
            for purchase in load.purchases {
                let started = ContinuousClock.now
                let response = try await installation.post("attribute", purchase.body)
                if response.status == 503 {
                    refused = true
                    #expect(.now - started < .seconds(1))
                    #expect(response.header("Retry-After").flatMap(Int.init).map { $0 >= 1 } == true)
                }
            }
            #expect(refused)
            try await installation.broker.setMemoryAlarm(false)

            try await load.send(to: installation)
            try await load.expectApplied(in: installation)
            await installation.tearDown()
        }

        @Test("A queue that somebody unbound gives no false success, and topology check names it")
        func unbound() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(64, seed: 13, signedBy: installation.authority)
            let routes = Bucket.all.map { Route.command(.receiptValidator, $0).routingKey }
            try await installation.unbind(queue: "receipt-validator.0", exchange: .commands, routingKeys: routes)

            for purchase in load.purchases.prefix(8) {
                let response = try await installation.post("attribute", purchase.body)
                #expect(response.status == 503)
            }
            let check = try await installation.tool(["topology", "check"])
            #expect(check.status == 1)
            #expect((check.output + check.errors).contains("receipt-validator.0"))

            try await installation.succeed("topology", "apply", "--passwords", installation.passwordFile)
            try await load.send(to: installation)
            try await load.expectApplied(in: installation)
            await installation.tearDown()
        }

        @Test("A subscriber that is off stops nobody, and catches up")
        func subscriberOff() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(300, seed: 14, signedBy: installation.authority)
            await installation.stop(.entitlementResolver, SIGTERM)

            try await load.send(to: installation)
            let identified = try await installation.post(
                "identify", #"{"appUserId":"user-14-0","bundleId":"\#(Installation.app)"}"#)
            #expect(identified.status == 200)
            #expect(await installation.isReady(.receiptValidator))
            let seen = try await installation.get("/api/v1/apps/\(Installation.app)/users/user-14-0")
            #expect(seen.status == 503)

            try await installation.start(.entitlementResolver)
            try await installation.waitUntilReady(.entitlementResolver)
            try await load.expectApplied(in: installation)
            await installation.tearDown()
        }

        @Test("A queue that the broker has otherwise is named with its argument, and ends no process")
        func declaredOtherwise() async throws {
            let installation = try await Installation.start()
            let queue = "queues/\(installation.virtualHost)/receipt-validator.0"

            _ = try await installation.broker.manage("DELETE", queue)
            _ = try await installation.broker.manage(
                "PUT", queue, #"{"durable":true,"arguments":{"x-queue-type":"classic"}}"#)
            var readiness = ""
            let isNamed = await eventually {
                readiness = (try? await installation.readiness(of: .receiptValidator).text) ?? ""
                return readiness.contains("receipt-validator.0")
                    && readiness.contains("has x-dead-letter-exchange absent at the broker")
            }
            #expect(isNamed, "\(readiness)")
            #expect(await !installation.hasEnded(.receiptValidator))

            _ = try await installation.broker.manage("DELETE", queue)
            try await installation.waitUntilReady(.receiptValidator)
            await installation.tearDown()
        }
    }
}
