internal import Crypto
internal import FoundationEssentials
internal import Messages
internal import StoreSimulator

/// `tollgate simulate attest`
struct SimulateAttest: ToolCommand {
    static let device = Option<String>.text(
        "--device", "DIR", "The folder in which the device keeps its key and its counter", isRequired: true)
    static let challenge = Option<String>.text(
        "--challenge", "TEXT", "What the edge gave it to sign: the answer to attest/challenge", isRequired: true)
    static let team = Option<TeamID>(
        "--team-id", "TEAM", "The developer's team, as the app was connected with it", expectation: TeamID.expectation,
        variable: "TOLLGATE_TEAM_ID", default: "TEAM123456"
    ) { text in
        let team = TeamID(rawValue: text)
        return team.isGood ? team : nil
    }
    static let development = Flag("--development", "Of an app run from Xcode, not from the App Store")

    static let layout = CommandLayout(
        "simulate attest", "Says what a simulated device sends to attest: the body of the request",
        details:
            "A device that is there attests its key again; else one is made. Its key leaves the folder for nowhere.",
        options: [SimulateTransaction.authority, Subject.app, device, challenge, team, development],
        example:
            "tollgate simulate attest --authority ./authority --app com.example.tunes --device ./phone --challenge AQID"
    )

    /// The body of `POST /api/sdk/v1/attest`.
    private struct Attest: Encodable {
        let keyId: String
        let attestation: String
        let challenge: String
        let bundleId: String
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let authority = try SimulateTransaction.authority(in: try arguments.value(of: SimulateTransaction.authority))
        let app = try arguments.value(of: Subject.app).rawValue
        let folder = try arguments.value(of: device)
        let challenge = try arguments.value(of: challenge)
        let appID = "\(try arguments.value(of: team)).\(app)"
        let device =
            try SimulateAttest.kept(in: folder)
            ?? SimulatedDevice(
                appID: appID, environment: arguments.isSet(development) ? .development : .production)
        guard device.appID == appID else {
            throw ToolFailure(.failed, "the device in \(folder) is of the app \(device.appID), not of \(appID)")
        }
        let attestation = try device.attest(
            clientDataHash: Digest.sha256(challenge.utf8), by: authority, at: .now)
        try device.save(to: folder)
        let body = Attest(
            keyId: Base64.standard.encode(device.keyID), attestation: Base64.standard.encode(attestation),
            challenge: challenge, bundleId: app)
        return Output(jsonText: String(decoding: try MessageJSON.encode(body), as: UTF8.self))
    }

    /// - Throws: ``ToolFailure`` for what is no device.
    static func kept(in folder: String) throws -> SimulatedDevice? {
        do {
            return try SimulatedDevice(loadingFrom: folder)
        } catch {
            throw ToolFailure(.failed, "\(error)")
        }
    }
}
