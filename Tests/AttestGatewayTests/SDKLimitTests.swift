import AttestGateway
import HTTPClient
import Messages
import Messaging
import TestSupport
import Testing

@Suite("Limits at the SDK's routes")
struct SDKLimitTests {

    @Test("A device writes 30 times a minute; then it is 429 with Retry-After")
    func deviceLimit() async throws {
        try await EdgeRig.with { rig in
            let body = #"{"appUserId":"u","bundleId":"com.example.tunes","installId":"i"}"#
            for _ in 0..<30 {
                let status = try await rig.identify(body).status
                #expect(status == 200)
            }

            let refused = try await rig.identify(body)
            let other = try await rig.identify(#"{"appUserId":"u","bundleId":"com.example.tunes","installId":"j"}"#)

            #expect(refused.status == 429)
            // Which limit it is tells whether waiting helps, or another setting.
            #expect(refused.text.contains("The limit of writes a minute of one device without a token is reached"))
            #expect(Int(refused.header("Retry-After") ?? "") ?? 0 >= 1)
            #expect(other.status == 200)
            #expect(rig.publisher.published.count == 31)
        }
    }

    @Test("An address writes 300 times a minute, whatever ids it invents; malformed bodies do not count")
    func addressLimit() async throws {
        try await EdgeRig.with { rig in
            let malformed = try await rig.identify("{").status
            #expect(malformed == 400)
            for number in 0..<300 {
                let body = #"{"appUserId":"u\#(number)","bundleId":"com.example.tunes"}"#
                let status = try await rig.identify(body).status
                #expect(status == 200)
            }
            let refused = try await rig.identify(#"{"appUserId":"x","bundleId":"com.example.tunes"}"#).status
            #expect(refused == 429)
        }
    }

    @Test("Behind a configured proxy each client has its own limit; an app names so many users a minute")
    func proxiesAndUsers() async throws {
        let environment = ["TOLLGATE_PROXIES": "127.0.0.1", "TOLLGATE_LIMIT_ADDRESS": "2", "TOLLGATE_LIMIT_USERS": "5"]
        try await EdgeRig.with(environment) { rig in
            func identify(_ user: Int, from client: String) async throws -> Int {
                try await rig.identify(
                    #"{"appUserId":"u\#(user)","bundleId":"com.example.tunes"}"#,
                    headers: ["X-Forwarded-For": client]
                ).status
            }

            var statuses: [Int] = []
            for (user, client) in [(1, 1), (2, 1), (2, 1), (3, 3), (4, 4), (5, 5), (6, 6), (5, 7)] {
                statuses.append(try await identify(user, from: "192.0.2.\(client)"))
            }
            // The third is one too many for its address, the last but one for the app: a known user goes on.
            #expect(statuses == [200, 200, 429, 200, 200, 200, 429, 200])
        }
    }

    @Test("Limits can be switched off")
    func limitsOff() async throws {
        try await EdgeRig.with(["TOLLGATE_LIMITS": "off"]) { rig in
            for _ in 0..<400 {
                let status = try await rig.identify().status
                #expect(status == 200)
            }
        }
    }
}
