internal import Crypto
internal import Messages
internal import StoreSimulator

/// `tollgate simulate assert`
struct SimulateAssert: ToolCommand {
    static let layout = CommandLayout(
        "simulate assert", "Says what a simulated device sends for a fresh token: the body of the request",
        details: "By the key that simulate attest has made; each raises the device's counter.",
        options: [SimulateAttest.device, SimulateAttest.challenge],
        example: "tollgate simulate assert --device ./phone --challenge AQID")

    /// The body of `POST /api/sdk/v1/attest/assert`.
    private struct Assert: Encodable {
        let keyId: String
        let assertion: String
        let challenge: String
        let bundleId: String
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let folder = try arguments.value(of: SimulateAttest.device)
        let challenge = try arguments.value(of: SimulateAttest.challenge)
        guard var device = try SimulateAttest.kept(in: folder) else {
            throw ToolFailure(
                .failed, "there is no device in \(folder)",
                advice: "tollgate simulate attest --device \(folder) makes one"
            )
        }
        let assertion = try device.assert(clientDataHash: Digest.sha256(challenge.utf8))
        // Before it is sent: a counter that has been shown is never shown again.
        try device.save(to: folder)
        // Behind the team and its dot.
        let app = device.appID.split(separator: ".", maxSplits: 1).last.map(String.init) ?? ""
        let body = Assert(
            keyId: Base64.standard.encode(device.keyID), assertion: Base64.standard.encode(assertion),
            challenge: challenge, bundleId: app)
        return Output(jsonText: String(decoding: try MessageJSON.encode(body), as: UTF8.self))
    }
}
