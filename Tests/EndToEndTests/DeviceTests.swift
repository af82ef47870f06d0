import Crypto
import Foundation
import HTTPClient
import Messages
import StoreSimulator
import Testing
import TestSupport

extension EndToEnd {
    @Suite("Devices at two edges", .serialized)
    struct DeviceTests {
        @Test("What one edge issues is good at the other; what is revoked is refused by both within a second")
        func twoEdges() async throws {
            let installation = try await Installation.start()
            try await installation.allowDevices()
            let second = try await installation.startEdge()
            let pair = TwoEdges(installation: installation, ports: [installation.edgePort, second.port])

            let (phone, token) = try await expectOneUse(of: pair)
            try await expectFreshToken(for: phone, token, at: pair)
            try await expectGeneration(at: pair)
            try await expectRevocation(of: phone, token, at: pair)
            try await expectRevokedKey(at: pair)
            await expectNoSecrets(in: installation)

            try await expectWithoutRegistry(at: pair, second)
            await second.stop(SIGTERM)
            await installation.tearDown()
        }

        /// A challenge that one edge made is spent at the other, once; the same body again gets the same outcome.
        private func expectOneUse(of pair: TwoEdges) async throws -> (SimulatedDevice, String) {
            let installation = pair.installation
            let phone = try installation.newPhone()
            let challenge = try await installation.challenge(at: pair.ports[0])
            let body = try installation.attestation(of: phone, for: challenge)

            let first = try await installation.send(body, to: "attest", at: pair.ports[1])
            let token = try first.text(of: "deviceToken")
            for port in pair.ports {
                let again = try await installation.send(body, to: "attest", at: port)
                #expect(again.status == 200)
                let other = try installation.attestation(of: installation.newPhone(), for: challenge)
                let spent = try await installation.send(other, to: "attest", at: port)
                #expect(spent.status == 401)
                #expect(spent.errorCode == "challenge_used")
            }

            #expect(try await pair.identify(with: token) == [200, 200])
            #expect(try await pair.identify(with: nil) == [200, 200])
            #expect(try await pair.identify(with: String(token.dropLast())) == [401, 401])
            return (phone, token)
        }

        /// The key signs for another token; the one before stays good.
        private func expectFreshToken(for phone: SimulatedDevice, _ token: String, at pair: TwoEdges) async throws {
            var phone = phone
            let installation = pair.installation
            let challenge = try await installation.challenge(at: pair.ports[1])
            let body = try installation.assertion(of: &phone, for: challenge)

            let fresh = try await installation.send(body, to: "attest/assert", at: pair.ports[0])

            #expect(try await pair.identify(with: fresh.text(of: "deviceToken")) == [200, 200])
            #expect(try await pair.identify(with: token) == [200, 200])
        }

        /// A key that is attested again has new tokens, and the old ones die everywhere.
        private func expectGeneration(at pair: TwoEdges) async throws {
            let phone = try pair.installation.newPhone()
            let old = try await pair.enrol(phone, at: 0)
            let new = try await pair.enrol(phone, at: 1)

            #expect(try await pair.areRefused(old, within: .seconds(1)))
            #expect(try await pair.identify(with: new) == [200, 200])
        }

        private func expectRevocation(of phone: SimulatedDevice, _ token: String, at pair: TwoEdges) async throws {
            let installation = pair.installation
            #expect(try await pair.identify(with: token) == [200, 200])

            try await installation.succeed(
                "devices", "revoke", Base64.standard.encode(phone.keyID), "--why", "a test")

            #expect(try await pair.areRefused(token, within: .seconds(1)))
            // For good.
            let challenge = try await installation.challenge(at: pair.ports[0])
            let body = try installation.attestation(of: phone, for: challenge)
            let again = try await installation.send(body, to: "attest", at: pair.ports[1])
            #expect(again.errorCode == "device_revoked")
            var signer = phone
            let assertion = try installation.assertion(
                of: &signer, for: await installation.challenge(at: pair.ports[1]))
            let asserted = try await installation.send(assertion, to: "attest/assert", at: pair.ports[0])
            #expect(asserted.errorCode == "token_revoked")
        }

        private func expectRevokedKey(at pair: TwoEdges) async throws {
            struct Added: Decodable { let secret: String }
            let added = try await pair.installation.succeed("keys", "add", "short", "--scope", "read", "--json")
            let key = try JSONDecoder().decode(Added.self, from: Data(added.output.utf8)).secret
            let isGood = await eventually { (try? await pair.look(with: key))?.allSatisfy { $0 != 401 } == true }
            #expect(isGood)

            try await pair.installation.succeed("keys", "revoke", "short")

            let isRefused = await eventually(within: .seconds(1)) { (try? await pair.look(with: key)) == [401, 401] }
            #expect(isRefused)
        }

        private func expectNoSecrets(in installation: Installation) async {
            for name in ["attest-gateway", "edge"] {
                let log = try? String(
                    contentsOf: installation.folder.appendingPathComponent("\(name).log"), encoding: .utf8)
                #expect(log?.contains("dt_") == false, "\(name)")
            }
        }

        /// Without the registry: writes with tokens go on, enrolling waits, and both edges tell the same afterwards.
        private func expectWithoutRegistry(at pair: TwoEdges, _ second: EdgeProcess) async throws {
            let installation = pair.installation
            let token = try await pair.enrol(installation.newPhone(), at: 1)
            let phone = try installation.newPhone()
            await installation.stop(.attestGateway)

            let challenge = try await installation.challenge(at: second.port)
            let body = try installation.attestation(of: phone, for: challenge)
            let away = try await installation.send(body, to: "attest", at: second.port)
            let write = try await installation.send(TwoEdges.identify, to: "identify", at: second.port, token: token)
            #expect(away.status == 503)
            #expect(away.header("Retry-After") != nil)
            #expect(write.status == 200)

            try await installation.start(.attestGateway)
            try await installation.waitUntilReady(.attestGateway)
            let isBack = await eventually(within: .seconds(20)) {
                (try? await installation.send(body, to: "attest", at: second.port))?.status == 200
            }
            #expect(isBack)
            #expect(try await pair.identify(with: token) == [200, 200])
        }
    }
}

/// An installation's own edge and another one.
private struct TwoEdges {
    let installation: Installation
    let ports: [Int]

    static let identify = #"{"appUserId":"user_42","bundleId":"\#(Installation.app)"}"#

    /// How each answers a write.
    func identify(with token: String?) async throws -> [Int] {
        var statuses: [Int] = []
        for port in ports {
            statuses.append(try await installation.send(Self.identify, to: "identify", at: port, token: token).status)
        }
        return statuses
    }

    func areRefused(_ token: String, within limit: Duration) async throws -> Bool {
        let isRefused = await eventually(within: limit) { (try? await self.identify(with: token)) == [401, 401] }
        let response = try await installation.send(Self.identify, to: "identify", at: ports[1], token: token)
        return isRefused && response.errorCode == "token_revoked"
    }

    /// Enrols `phone`: the challenge is another edge's.
    func enrol(_ phone: SimulatedDevice, at edge: Int) async throws -> String {
        let challenge = try await installation.challenge(at: ports[1 - edge])
        let body = try installation.attestation(of: phone, for: challenge)
        return try await installation.send(body, to: "attest", at: ports[edge]).text(of: "deviceToken")
    }

    /// How each answers a server that asks for a user.
    func look(with key: String) async throws -> [Int] {
        var statuses: [Int] = []
        for port in ports {
            let response = try await installation.http.send(
                HTTPRequest(
                    method: "GET", url: "http://127.0.0.1:\(port)/api/v1/apps/\(Installation.app)/users/user_42",
                    headers: ["Authorization": "Bearer \(key)"], timeout: .seconds(15)))
            statuses.append(response.status)
        }
        return statuses
    }
}
