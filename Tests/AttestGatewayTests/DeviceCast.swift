import Crypto
import Foundation
import Messages
import StoreSimulator
import TestSupport
import Testing

/// Who takes part in tests of devices: an authority that stands in for Apple, an app that believes it, and phones.
struct DeviceCast: Sendable {
    static let organisation: OrganisationID = "acme"
    static let app: AppID = "com.example.tunes"
    static let team = TeamID(rawValue: "A1B2C3D4E5")
    static let appID = "A1B2C3D4E5.com.example.tunes"
    private static let shared = Result { try TestAuthority.make() }

    let authority: TestAuthority
    let rig: RegistryRig

    /// A registry with the app.
    ///
    /// - Parameter change: what the app is not to be like.
    static func with(
        _ store: RegistryRig.Store = .init(), clock: ManualClock = ManualClock(.epoch + .seconds(60)),
        change: @Sendable (inout AppPut) -> Void = { _ in }, _ body: @Sendable (DeviceCast) async throws -> Void
    ) async throws {
        let authority = try shared.get()
        var put = AppPut(
            organisation: organisation, app: app, testRoots: [Base64.standard.encode(authority.root.der)],
            teamID: team)
        change(&put)
        try await RegistryRig.with(store, clock: clock) { [put] rig in
            _ = try await rig.operators.send(put)
            try await body(DeviceCast(authority: authority, rig: rig))
        }
    }

    /// A challenge as an edge makes it: its bytes are what its name is.
    static func challenge(_ name: String) -> String { Base64.url.encode(Array(name.utf8)) }

    /// What a phone sends to be enrolled.
    ///
    /// - Parameters:
    ///   - time: when the challenge was issued.
    ///   - change: what is not as it should be.
    func attestation(
        of device: SimulatedDevice, challenge: String, app: AppID = Self.app, at time: Timestamp = .epoch,
        change: (inout AttestationDesign) throws -> Void = { _ in }
    ) throws -> AttestationSubmit {
        let challenge = Self.challenge(challenge)
        let bytes = try device.attest(
            clientDataHash: Digest.sha256(challenge.utf8), by: authority, at: time.date, change: change)
        return AttestationSubmit(
            organisation: Self.organisation, app: app,
            keyID: DeviceKeyID(rawValue: Base64.standard.encode(device.keyID)),
            attestation: Base64.standard.encode(bytes), challenge: challenge,
            challengeExpiresAt: time + .seconds(300))
    }

    /// What a phone sends for a fresh token.
    func assertion(
        by device: inout SimulatedDevice, challenge: String, at time: Timestamp = .epoch,
        change: (inout AssertionDesign) throws -> Void = { _ in }
    ) throws -> AssertionSubmit {
        let challenge = Self.challenge(challenge)
        let bytes = try device.assert(clientDataHash: Digest.sha256(challenge.utf8), change: change)
        return AssertionSubmit(
            organisation: Self.organisation, app: Self.app,
            keyID: DeviceKeyID(rawValue: Base64.standard.encode(device.keyID)),
            assertion: Base64.standard.encode(bytes), challenge: challenge, challengeExpiresAt: time + .seconds(300))
    }

    /// A phone with a new key.
    static func phone(_ environment: SimulatedDevice.Environment = .production) throws -> SimulatedDevice {
        try SimulatedDevice(appID: appID, environment: environment)
    }

    /// Enrols a phone.
    @discardableResult
    func enrol(
        _ device: SimulatedDevice, challenge: String, at time: Timestamp = .epoch
    ) async throws -> DeviceStanding? {
        try await rig.edge.request(attestation(of: device, challenge: challenge, at: time), at: time).value
    }

    /// Ends a device.
    func revoke(_ device: SimulatedDevice, why: String? = nil, at time: Timestamp = .epoch) async throws
        -> Answer<DeviceRecord>
    {
        let id = DeviceKeyID(rawValue: Base64.standard.encode(device.keyID))
        return try await rig.operators.send(
            DeviceRevoke(organisation: Self.organisation, app: Self.app, keyID: id, why: why), at: time)
    }

    /// The device as it is kept.
    func record(of device: SimulatedDevice) async throws -> DeviceRecord? {
        var page = DevicesPage()
        (page.organisation, page.app) = (Self.organisation, Self.app)
        page.keyID = DeviceKeyID(rawValue: Base64.standard.encode(device.keyID))
        return try await rig.operators.ask(page).value?.devices.first
    }
}
