import EntitlementResolver
import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import StoreSimulator
import TestSupport

/// What a request takes of all services together, broker included, with 10^4, 10^5 and 10^6 users in the resolver's store,
/// as ratios to the first: over HTTP, from the request to the end of all that follows from it.
///
/// In processor time, so that what else the machine does blurs it little.
func requestCurve() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    let app = AppID(rawValue: Installation.app)
    let desk = ResolverDesk(
        organisation: OrganisationID(rawValue: Installation.organisation), app: app,
        product: ProductID(rawValue: Installation.product.id), realm: Realm(app))
    let key = await installation.key
    let reader = LoadClient(port: installation.edgePort, expected: #""active":true"#)
    let writer = LoadClient(port: installation.edgePort, expected: #""ok":true"#)
    var random = SeededGenerator(seed: 5)
    var first: [Double] = []
    var findings: [Finding] = []
    var users = 0
    for (power, count) in [(4, 10_000), (5, 100_000), (6, 1_000_000)] {
        await installation.stop(.entitlementResolver, SIGTERM)
        let partition = PartitionAddress(service: .entitlementResolver, number: 0, count: .one)
        let database = try await Database.open(
            at: partition.storePath(in: installation.storeFolder(of: .entitlementResolver)), as: partition.identity,
            schema: [.lane, EntitlementResolverService.schema])
        try await desk.fill(database, with: users..<count)
        await database.close()
        users = count
        try await installation.start(.entitlementResolver)
        try await installation.waitUntilReady(.entitlementResolver)

        let asked = (0..<4_000).map { _ in desk.user(Int.random(in: 0..<users, using: &random)) }
        let loads = try (0..<3).map {
            try PurchaseLoad(1_000, seed: UInt32(10 * power + $0), signedBy: installation.authority)
        }
        let costs = [
            (
                "read",
                try await installation.processorMicroseconds(per: asked.count) { _ in
                    try await reader.send(asked.count) { number in
                        "GET /api/v1/apps/\(app)/users/\(asked[number]) HTTP/1.1\r\nHost: edge\r\n"
                            + "Authorization: Bearer \(key)\r\n\r\n"
                    }
                }
            ),
            (
                "identify",
                try await installation.processorMicroseconds(per: asked.count) { _ in
                    try await writer.send(asked.count) { number in
                        LoadClient.post(
                            "identify",
                            #"{"appUserId":"\#(asked[number])","bundleId":"\#(app)","attributes":{"visits":\#(number)}}"#
                        )
                    }
                }
            ),
            (
                "attribute",
                try await installation.processorMicroseconds(per: 1_000) { turn in
                    try await writer.send(1_000) { number in
                        let purchase = loads[turn].purchases[number]
                        return LoadClient.post(
                            "attribute",
                            #"{"appUserId":"\#(asked[number])","bundleId":"\#(app)","#
                                + #""originalTransactionId":"\#(purchase.original)","jws":"\#(purchase.jws)"}"#)
                    }
                }
            ),
        ]
        if first.isEmpty { first = costs.map(\.1) }
        for (index, (name, cost)) in costs.enumerated() {
            findings.append(
                Finding(
                    benchmark: "request-curve", what: "µs of processor per \(name), all of it, with 10^\(power) users",
                    value: cost, limit: first[index], goal: "≤ 1.25 × that with 10^4",
                    isReached: cost <= 1.25 * first[index]))
        }
    }
    await installation.tearDown()
    return findings
}

extension Installation {
    /// What services and broker use for each of `count` requests until nothing that follows from them is applied any more.
    /// The first of three turns only warms up; of the others the one that took less.
    fileprivate func processorMicroseconds(per count: Int, _ send: (Int) async throws -> Void) async throws -> Double {
        var best = Double.infinity
        for turn in 0..<3 {
            let start = processorSeconds
            try await send(turn)
            var (applied, before) = (try await applied, -1.0)
            while applied > before {
                // Longer than an alarm waits, and than a partition that has the processor for itself takes for a batch.
                try await Task.sleep(for: .seconds(2))
                (applied, before) = (try await self.applied, applied)
            }
            if turn > 0 { best = min(best, processorSeconds - start) }
        }
        return best * 1e6 / Double(count)
    }

    private var applied: Double {
        get async throws {
            var sum = 0.0
            for service in Self.services {
                sum += try await number(#"tollgate_lane_messages_total{ending="applied",partition="0"}"#, of: service)
            }
            return sum
        }
    }

    private var processorSeconds: Double {
        Self.services.reduce(brokerProcessorSeconds) { $0 + processorSeconds(of: $1) }
    }
}
