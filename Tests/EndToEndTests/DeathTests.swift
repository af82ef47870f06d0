import Foundation
import Messages
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Death of services", .serialized)
    struct DeathTests {
        @Test("Kill -9 of every service under load, again and again, loses and doubles nothing", arguments: [1, 4])
        func killed(partitions: Int) async throws {
            let installation = try await Installation.start(partitions: partitions)
            let load = try PurchaseLoad(2_000, seed: UInt32(partitions), signedBy: installation.authority)
            let random = SeededGenerator(seed: UInt64(partitions))

            let sending = Task { try await load.send(to: installation) }
            let deaths = Task { [random] in
                var random = random
                var count = 0
                // The edge may be done before enough have died; what it has accepted is then still on its way.
                while !Task.isCancelled || count < 6 {
                    for service in Installation.services.shuffled(using: &random) {
                        // Any moment will do, so that none is awaited: what strikes comes when it likes.
                        try? await Task.sleep(for: .milliseconds(Int.random(in: 100...900, using: &random)))
                        if Task.isCancelled, count >= 6 { break }
                        await installation.stop(service, SIGKILL)
                        try await installation.start(service)
                        count += 1
                    }
                }
            }
            _ = try await sending.value
            deaths.cancel()
            try await deaths.value
            for service in Installation.services { try await installation.waitUntilReady(service) }

            try await load.expectApplied(in: installation)
            await installation.tearDown()
        }

        @Test("SIGTERM under load ends in order within five seconds, and nothing goes back uncounted")
        func terminated() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(1_000, seed: 7, signedBy: installation.authority)

            let sending = Task { try await load.send(to: installation) }
            for _ in 0..<3 {
                for service in [ServiceName.receiptValidator, .entitlementResolver, .attestGateway] {
                    // So that the next one has work in hand again.
                    try await Task.sleep(for: .milliseconds(200))
                    let started = ContinuousClock.now
                    let status = await installation.stop(service, SIGTERM)
                    #expect(status == 0)
                    #expect(.now - started < .seconds(5))
                    try await installation.start(service)
                }
            }
            _ = try await sending.value
            for service in Installation.services { try await installation.waitUntilReady(service) }

            try await load.expectApplied(in: installation)
            await installation.tearDown()
        }
    }
}
