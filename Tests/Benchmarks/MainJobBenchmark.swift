import Foundation
import HTTPClient
import Messages
import Messaging
import SQLite
import TestSupport

/// From the purchase request to the entitlement that can be read, on an idle system, against the confirms and commits
/// that it cannot do without.
func mainJobBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    let count = 200
    let load = try PurchaseLoad(count, seed: 99, signedBy: installation.authority)

    var latencies: [Duration] = []
    for purchase in load.purchases {
        let start = ContinuousClock.now
        let response = try await installation.post("attribute", purchase.body)
        guard response.status == 200 else { throw TestFailure("attribute: \(response.status)") }
        while try await installation.entitlement(of: purchase.user)?.active != true {
            guard .now - start < .seconds(10) else { throw TestFailure("no entitlement") }
        }
        latencies.append(.now - start)
    }

    // The path: edge to validator, validator to resolver (event and claim, side by side), resolver to resolver: three
    // confirms, three commits; then one query to read it.
    let confirm = try await median(of: count) { number in
        let publisher = try await installation.publisher(as: .load)
        return { index in
            let publication = StrayMessage.publication(number + index)
            let outcome = await publisher.publish(publication, deadline: .now + .seconds(5))
            guard outcome == .confirmed else { throw TestFailure("publish: \(outcome)") }
        }
    }
    let database = try await Database.create(
        at: installation.folder.appendingPathComponent("bench.sqlite").path, as: StoreIdentity(service: "bench"),
        schema: [
            MigrationSequence(
                name: "bench", migrations: [Migration(1, "rows", "CREATE TABLE rows (body BLOB NOT NULL);")])
        ], createdAt: Date())
    let commit = try await median(of: count) { _ in
        { _ in
            _ = try await database.write {
                try $0.run("INSERT INTO rows (body) VALUES (?)", .blob(Array(repeating: 1, count: 512)))
            }
        }
    }
    await database.close()
    await installation.tearDown()

    let limit = (confirm * 3 + commit * 3) / .milliseconds(1)
    let median = latencies.percentile(0.5) / .milliseconds(1)
    let p99 = latencies.percentile(0.99) / .milliseconds(1)
    return [
        Finding(
            benchmark: "main-job", what: "request to entitlement, median in ms", value: median, limit: limit,
            goal: "≤ 3 × its confirms and commits", isReached: median <= 3 * limit),
        Finding(
            benchmark: "main-job", what: "request to entitlement, p99 in ms", value: p99, limit: limit,
            goal: "≤ 5 ×", isReached: p99 <= 5 * limit),
    ]
}

private func median(
    of count: Int, _ make: (Int) async throws -> (@Sendable (Int) async throws -> Void)
) async throws -> Duration {
    let work = try await make(0)
    var durations: [Duration] = []
    for index in 0..<count { durations.append(try await timed { try await work(index) }) }
    return durations.percentile(0.5)
}

/// A message that is applied quickly and changes little: only its confirmation is timed.
enum StrayMessage {
    static func publication(_ number: Int) -> Publication {
        let message = UserIdentify(
            organisation: OrganisationID(rawValue: Installation.organisation), app: AppID(rawValue: Installation.app),
            user: AppUserID(rawValue: "stray-\(number)"), trust: .unverified)
        let body = (try? MessageJSON.encode(message)) ?? []
        return Publication(
            Envelope(kind: UserIdentify.kind, id: MessageID(at: .now), body: body),
            to: .command(.entitlementResolver, message.bucket), isMandatory: true)
    }
}
