import AttestGateway
import HTTP
import HTTPClient
import Messages
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Limits of callers with device tokens, and of apps")
struct AttestedLimitTests {
    private static func admitted(
        _ writes: [CallerLimits.Write], _ limits: CallerLimits = CallerLimits(.init(), edge: "e") { 0 },
        own: AppLimits? = nil
    ) -> (count: Int, excess: CallerLimits.Limit?) {
        let answers = writes.map { limits.admit($0, own: own) }
        return (answers.count { $0 == nil }, answers.compactMap { $0 }.first?.limit)
    }

    @Test("One device writes 60 times, so that it does not silence the rest of its organisation")
    func device() {
        let limits = CallerLimits(.init(), edge: "e") { 0 }

        #expect(Self.admitted(Array(repeating: .attested(1), count: 100), limits) == (60, .attestedDevice))
        #expect(Self.admitted(Array(repeating: .attested(2), count: 60), limits) == (60, nil))
    }

    @Test("An organisation writes 240 times, over all its apps and devices; another is not disturbed by that")
    func organisation() {
        let limits = CallerLimits(.init(), edge: "e") { 0 }
        let writes = (0..<300).map { CallerLimits.Write.attested(UInt8($0 % 200), app: $0 % 2 == 0 ? "a" : "b") }

        #expect(Self.admitted(writes, limits) == (240, .organisation))
        #expect(Self.admitted([.attested(1, "umbrella")], limits) == (1, nil))
        // Neither are those at the same address who have no token.
        #expect(Self.admitted([.unattested("i", "u", "1.1.1.1")], limits) == (1, nil))
    }

    @Test("What is refused by one limit is not counted by another")
    func refusedOnce() {
        let limits = CallerLimits(.init(organisation: 10, attestedDevice: 5), edge: "e") { 0 }

        #expect(Self.admitted(Array(repeating: .attested(1), count: 50), limits).count == 5)
        #expect(Self.admitted(Array(repeating: .attested(2), count: 50), limits).count == 5)
    }

    @Test("A developer's device has the limits of callers without a token")
    func development() {
        let device = AttestedDevice(organisation: "acme", app: "a", keyID: DeviceKeyID(rawValue: "d"))
        let write = CallerLimits.Write(
            caller: .development(device), app: "a", user: "u", install: "i", address: "1.1.1.1")

        #expect(Self.admitted(Array(repeating: write, count: 50)) == (30, .device))
    }

    @Test("An app with limits of its own has counters of its own")
    func ownLimits() {
        let limits = CallerLimits(.init(organisation: 5, device: 3, address: 4), edge: "e") { 0 }
        let own = AppLimits(attestedPerMinute: 50, devicePerMinute: 7, addressPerMinute: 20)
        let attested = (0..<100).map { CallerLimits.Write.attested(UInt8($0), app: "big") }
        let unattested = (0..<100).map { CallerLimits.Write.unattested("i\($0 % 2)", "u", "1.1.1.1", app: "big") }

        #expect(Self.admitted(attested, limits, own: own) == (50, .organisation))
        #expect(Self.admitted(unattested, limits, own: own) == (14, .device))
        // The others of the same organisation, and at the same address, have all of theirs.
        #expect(Self.admitted((0..<9).map { .attested($0) }, limits) == (5, .organisation))
        #expect(Self.admitted((0..<9).map { .unattested("i\($0)", "u", "1.1.1.1") }, limits) == (4, .address))
    }

    @Test("An app may name more users than others, or fewer")
    func ownUsers() {
        let limits = CallerLimits(.init(users: 10), edge: "e") { 0 }
        var big = AppRecord.tunes
        big.limits = AppLimits(usersPerMinute: 25)
        func named(_ app: AppRecord) -> Int {
            (0..<50).count { limits.admit(user: AppUserID(rawValue: "u\($0)"), of: app) == nil }
        }

        #expect(named(big) == 25)
        var small = AppRecord.tunes
        small.app = "com.example.radio"
        #expect(named(small) == 10)
    }

    @Test("A device with a token is limited as such on the routes, and names as many users as it likes")
    func routes() async throws {
        let environment = ["TOLLGATE_LIMIT_ATTESTED_DEVICE": "5", "TOLLGATE_LIMIT_USERS": "2"]
        try await EdgeRig.with(environment) { rig in
            var statuses: [Int] = []
            for number in 0..<6 {
                let response = try await rig.identify(
                    #"{"appUserId":"u\#(number)","bundleId":"com.example.tunes"}"#,
                    headers: ["Authorization": "Bearer \(EdgeRig.token())"])
                statuses.append(response.status)
            }

            #expect(statuses == [200, 200, 200, 200, 200, 429])
            #expect(rig.metrics.render().contains(#"tollgate_edge_limited_total{limit="attested_device"} 1"#))
        }
    }

    @Test("The limits that an app's record sets hold at the edge")
    func recordLimits() async throws {
        var app = AppRecord.tunes
        app.limits = AppLimits(attestedPerMinute: 2, devicePerMinute: 1, usersPerMinute: 1)
        try await EdgeRig.with(apps: [app]) { rig in
            let token = ["Authorization": "Bearer \(EdgeRig.token())"]
            var statuses: [Int] = []
            for headers in [[:], [:], token, token, token] {
                statuses.append(try await rig.identify(headers: headers).status)
            }

            #expect(statuses == [200, 429, 200, 200, 429])
        }
    }
}
