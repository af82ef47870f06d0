import Crypto
import Foundation
import JSON
import Messages
import StoreSimulator
import Testing

@testable import ReceiptValidator

/// What App Attest proves: nothing of money, so that there is a verdict and no fact.
@Suite("Proofs by App Attest")
struct ProofTests {
    static let team = TeamID(rawValue: "A1B2C3D4E5")
    static let noon = ValidatorStore.noon

    private func connected(teamID: TeamID? = team) async throws -> (ValidatorStore, SimulatedDevice) {
        let store = try await ValidatorStore()
        try await store.connect(ValidatorStore.testApp, testRoots: [store.rootText], teamID: teamID)
        return (store, try SimulatedDevice(appID: "\(Self.team).\(ValidatorStore.testApp)"))
    }

    private func attestation(
        of device: SimulatedDevice, by authority: TestAuthority, challenge: String = "challenge"
    ) throws -> String {
        let bytes = try device.attest(
            clientDataHash: Digest.sha256(challenge.utf8), by: authority, at: Self.noon.date)
        let members = [
            "attestation": Base64.standard.encode(bytes), "key_id": Base64.standard.encode(device.keyID),
            "challenge": challenge,
        ]
        return String(decoding: try JSONCoding.encode(members), as: UTF8.self)
    }

    @Test("An attestation is verified with what comes with it, and nothing is published of it")
    func attestation() async throws {
        let (store, device) = try await connected()
        let text = try attestation(of: device, by: store.authority)

        let (report, outcome) = try await store.verify(text, kind: .attestation)

        #expect(report?["verdict"] == .string("verified"), "\(String(describing: report))")
        #expect(report?["environment"] == .string("production"))
        #expect(outcome.published.isEmpty)
        #expect(try await store.verdicts() == 1)
    }

    @Test("Recognised without being told, it is the same one")
    func recognised() async throws {
        let (store, device) = try await connected()
        let text = try attestation(of: device, by: store.authority)
        try await store.submit(text, kind: .attestation)

        let report = try await store.verify(text).report

        #expect(report?["kind"] == .string("attestation"))
        #expect(try await store.verdicts() == 1)
    }

    @Test("Its certificates live for days: it is judged as of when an edge received it, then and whenever it is again")
    func receivedInTime() async throws {
        let (store, device) = try await connected()
        let text = try attestation(of: device, by: store.authority)
        let late = Self.noon + .seconds(30 * 86_400)

        let waited = try await store.submit(text, kind: .attestation, acceptedAt: Self.noon, at: late)
        let anew = try await store.reverify(text, kind: .attestation, at: late + .seconds(86_400))

        #expect(waited.refusal == nil)
        #expect(anew.kept?.verdict.outcome == "verified")
        #expect(anew.kept?.revision == 0)
    }

    @Test("A time of reception is believed from an edge alone")
    func claimedTime() async throws {
        let (store, device) = try await connected()
        let text = try attestation(of: device, by: store.authority)

        let outcome = try await store.submit(
            text, kind: .attestation, from: .load, acceptedAt: Self.noon, at: Self.noon + .seconds(30 * 86_400))

        #expect(outcome.refusal?.reason == "cert_expired")
    }

    @Test("Of an app whose team is not known nothing can be said to be made by it, until it is known")
    func teamUnknown() async throws {
        let (store, device) = try await connected(teamID: nil)
        let text = try attestation(of: device, by: store.authority)

        let report = try await store.verify(text, kind: .attestation).report
        try await store.connect(
            ValidatorStore.testApp, testRoots: [store.rootText], teamID: Self.team, version: 2)
        let anew = try await store.reverify(text, kind: .attestation)

        #expect(report?["reason"] == .string("wrong_app"))
        #expect(report?["step"] == .string("app_id"))
        #expect(anew.kept?.verdict.outcome == "verified")
        #expect(anew.outcome.published.isEmpty)
    }

    @Test("An attestation of another app, or for another challenge, is refused")
    func others() async throws {
        let (store, device) = try await connected()
        let stranger = try SimulatedDevice(appID: "\(Self.team).com.example.other")
        let foreign = try attestation(of: stranger, by: store.authority)
        let forged = try attestation(of: device, by: store.authority).replacing(
            "\"challenge\":\"challenge\"", with: "\"challenge\":\"other\"")

        #expect(try await store.submit(foreign, kind: .attestation, id: "1").refusal?.reason == "wrong_app")
        #expect(try await store.submit(forged, kind: .attestation, id: "2").refusal?.reason == "nonce_mismatch")
    }

    @Test("An assertion is verified by the key that comes with it")
    func assertion() async throws {
        let (store, made) = try await connected()
        var device = made
        let bytes = try device.assert(clientDataHash: Digest.sha256("body".utf8))
        let members = [
            "assertion": Base64.standard.encode(bytes), "public_key": Base64.standard.encode(device.publicKey),
            "client_data": Base64.standard.encode("body".utf8),
        ]
        let text = String(decoding: try JSONCoding.encode(members), as: UTF8.self)

        let report = try await store.verify(text, kind: .assertion).report

        #expect(report?["verdict"] == .string("verified"), "\(String(describing: report))")
        #expect(report?["trust"] == .string("own_key"))
    }

    @Test("How old a receipt of App Attest is, is judged whenever somebody asks; what is held of it stays")
    func age() async throws {
        let (store, device) = try await connected()
        let leaf = try CertificateBuilder(
            commonName: "device", validity: Self.noon.date - 1000...Self.noon.date + 1_000_000
        ).selfSigned(by: device.key)
        let bytes = try store.authority.signAttestationReceipt(
            AttestationReceiptDesign(appID: device.appID, environment: .production, createdAt: Self.noon.date),
            certificate: leaf)
        let text = #"{"attestation_receipt":"\#(Base64.standard.encode(bytes))","max_age":3600}"#

        let fresh = try await store.verify(text, kind: .attestationReceipt).report
        let stale = try await store.verify(text, kind: .attestationReceipt, at: Self.noon + .seconds(7200)).report

        #expect(fresh?["verdict"] == .string("verified"), "\(String(describing: fresh))")
        #expect(stale?["reason"] == .string("stale"))
        #expect(try await store.page()?.artifacts.map(\.verdict.outcome) == ["verified"])
        #expect(try await store.page()?.artifacts.map(\.revision) == [0])
    }
}
