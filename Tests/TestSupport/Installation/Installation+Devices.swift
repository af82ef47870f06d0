import Crypto
import Foundation
package import HTTPClient
package import StoreSimulator

extension Installation {
    /// The developer's team at Apple that ``allowDevices()`` tells of.
    package static let team = "A1B2C3D4E5"

    /// Tells the installation what App Attest calls the demo app.
    package func allowDevices() async throws {
        try await succeed("apps", "add", "--app", Self.app, "--team-id", Self.team)
    }

    /// A phone with the demo app and a new key.
    package nonisolated func newPhone(_ environment: SimulatedDevice.Environment = .production) throws
        -> SimulatedDevice
    {
        try SimulatedDevice(appID: "\(Self.team).\(Self.app)", environment: environment)
    }

    /// What `phone` sends to be enrolled.
    package nonisolated func attestation(of phone: SimulatedDevice, for challenge: String) throws -> String {
        let object = try phone.attest(clientDataHash: Digest.sha256(challenge.utf8), by: authority, at: Date())
        return proof("attestation", object, of: phone, challenge)
    }

    /// What `phone` sends for a fresh token.
    package nonisolated func assertion(of phone: inout SimulatedDevice, for challenge: String) throws -> String {
        let object = try phone.assert(clientDataHash: Digest.sha256(challenge.utf8))
        return proof("assertion", object, of: phone, challenge)
    }

    /// A body with `object` as the member `name`.
    package nonisolated func proof(
        _ name: String, _ object: [UInt8], of phone: SimulatedDevice, _ challenge: String
    ) -> String {
        """
        {"keyId":"\(Base64.standard.encode(phone.keyID))","\(name)":"\(Base64.standard.encode(object))",\
        "challenge":"\(challenge)","bundleId":"\(Self.app)"}
        """
    }

    /// Posts to a route of the SDK, at any edge.
    package nonisolated func send(
        _ body: String, to route: String, at port: Int, token: String? = nil
    ) async throws -> HTTPResponse {
        var headers = ["Content-Type": "application/json"]
        headers["Authorization"] = token.map { "Bearer \($0)" }
        return try await http.send(
            HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(port)/api/sdk/v1/\(route)", headers: headers,
                body: Array(body.utf8), timeout: .seconds(15)))
    }

    /// A fresh challenge from an edge.
    package nonisolated func challenge(at port: Int) async throws -> String {
        try await send("", to: "attest/challenge", at: port).text(of: "challenge")
    }
}

extension HTTPResponse {
    /// A member of the answer that has to be there.
    package func text(of member: String) throws -> String {
        guard status == 200, let members = try JSONSerialization.jsonObject(with: Data(body)) as? [String: String],
            let text = members[member]
        else { throw TestFailure("no \(member): \(status) \(self.text)") }
        return text
    }

    /// `error.code` of a refusal.
    package var errorCode: String? {
        struct Refused: Decodable {
            struct Reason: Decodable { let code: String }
            let error: Reason
        }
        return try? JSONDecoder().decode(Refused.self, from: Data(body)).error.code
    }
}
