import AttestGateway
import Crypto
import Foundation
import JSON
import Messages
import StoreSimulator
import TestSupport
import Testing

@Suite("Genuine devices", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct GenuineDeviceTests {
    /// Those of which the challenge is known, not only its hash.
    static let attestations = Vectors.entries(ofKinds: ["appattest-attestation"]).filter { vector in
        vector.text("client_data_b64") != nil && !vector.id.contains("wrong-root")
    }

    @Test(
        "A genuine attestation is enrolled at the time when it was made; every other is refused",
        arguments: attestations)
    func genuine(vector: Vector) async throws {
        let time = Timestamp(try Date(#require(vector.text("at")), strategy: .iso8601))
        let name = try #require(vector.text("app_id"))
        let clientData = try #require(vector.text("client_data_b64").flatMap { Data(base64Encoded: $0) })
        let app = AppID(rawValue: String(name.dropFirst(11)))
        let environment = AttestEnvironment(rawValue: try #require(vector.text("environment")))
        let bytes = try vector.bytes()
        let message = AttestationSubmit(
            organisation: "acme", app: app, keyID: DeviceKeyID(rawValue: try #require(vector.text("key_id"))),
            attestation: Base64.standard.encode(bytes), challenge: Base64.url.encode(clientData),
            challengeExpiresAt: time + .seconds(300))

        try await RegistryRig.with(clock: ManualClock(time)) { rig in
            _ = try await rig.operators.send(
                AppPut(
                    organisation: "acme", app: app, teamID: TeamID(rawValue: String(name.prefix(10))),
                    attestEnvironments: [environment]), at: time)

            let answer = try await rig.edge.request(message, at: time)

            guard vector.expect.outcome == "valid" else {
                #expect(answer.refusal != nil)
                return
            }
            #expect(answer.value?.keyID.rawValue == vector.text("key_id"))
            #expect(answer.value?.environment == environment)
            var question = DevicesPage()
            question.organisation = "acme"
            let record = try await rig.operators.ask(question).value?.devices.first
            #expect(record?.isTest == false)
            #expect(record?.receipt.isVerified == !vector.id.contains("receipt-of-other"), "\(vector)")
        }
    }

    @Test("A test app does not believe Apple")
    func testApp() async throws {
        let vector = try #require(Self.attestations.first { $0.expect.outcome == "valid" })
        let time = Timestamp(try Date(#require(vector.text("at")), strategy: .iso8601))
        let name = try #require(vector.text("app_id"))
        let clientData = try #require(vector.text("client_data_b64").flatMap { Data(base64Encoded: $0) })
        let app = AppID(rawValue: String(name.dropFirst(11)))
        let root = try TestAuthority.make().root
        let message = AttestationSubmit(
            organisation: "acme", app: app, keyID: DeviceKeyID(rawValue: try #require(vector.text("key_id"))),
            attestation: Base64.standard.encode(try vector.bytes()), challenge: Base64.url.encode(clientData),
            challengeExpiresAt: time + .seconds(300))

        try await RegistryRig.with(clock: ManualClock(time)) { rig in
            _ = try await rig.operators.send(
                AppPut(
                    organisation: "acme", app: app, testRoots: [Base64.standard.encode(root.der)],
                    teamID: TeamID(rawValue: String(name.prefix(10))), attestEnvironments: AttestEnvironment.all),
                at: time)

            #expect(try await rig.edge.request(message, at: time).refusal == "chain_invalid")
        }
    }
}

extension Vector {
    /// A condition under which it has to be verified.
    fileprivate func text(_ name: String) -> String? {
        if case .string(let text) = verify[name] { text } else { nil }
    }
}
