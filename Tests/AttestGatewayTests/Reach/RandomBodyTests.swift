import HTTPClient
import TestSupport
import Testing

@Suite("Random and malformed bodies")
struct RandomBodyTests {
    @Test(
        "Two thousand of them on each route, limits off, are refused by name; none is an error of ours, or too many",
        arguments: SDKRoute.all)
    func noise(route: SDKRoute) async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await EdgeRig.with(Registrar(), ["TOLLGATE_LIMITS": "off"]) { rig in
            // Four callers, for one alone waits for each answer.
            let statuses = try await withThrowingTaskGroup(of: [Int: Int].self) { group in
                for caller in UInt64(0)..<4 {
                    group.addTask { try await Self.send(500, to: route, of: rig, seed: seed &+ caller) }
                }
                return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
            }
            #expect(statuses.values.reduce(0, +) == 2_000)
            #expect(statuses[400, default: 0] > 1_000, "\(statuses), seed \(seed)")
        }
    }

    /// - Returns: how often each status came.
    private static func send(_ count: Int, to route: SDKRoute, of rig: EdgeRig, seed: UInt64) async throws -> [Int: Int]
    {
        var noise = Noise(seed: seed, good: route.bytes(["n": "[[{}]]", "installId": #""i""#]) + [0x20])
        var statuses: [Int: Int] = [:]
        for _ in 0..<count {
            let body = noise.body()
            let response = try await rig.send("POST", "/api/sdk/v1/\(route.path)", body)
            statuses[response.status, default: 0] += 1
            switch response.status {
            // What happens to be a good body is taken; it may name an app that nobody has.
            case 200: break
            case 404: #expect(response.refusal == ["bundle_unresolved"])
            case 400, 401, 413: #expect(response.refusal != nil)
            default: Issue.record("\(response.status) for \(String(decoding: body, as: UTF8.self)), seed \(seed)")
            }
        }
        return statuses
    }
}
