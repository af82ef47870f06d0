import Foundation
package import HTTPClient

/// What phones and servers send.
extension Installation {
    package nonisolated func post(_ path: String, _ body: String, timeout: Duration = .seconds(15)) async throws
        -> HTTPResponse
    {
        try await http.send(
            HTTPRequest(
                method: "POST", url: "http://127.0.0.1:\(edgePort)/api/sdk/v1/\(path)",
                headers: ["Content-Type": "application/json"], body: Array(body.utf8), timeout: timeout))
    }

    package func get(_ path: String) async throws -> HTTPResponse {
        try await http.send(
            HTTPRequest(
                method: "GET", url: "http://127.0.0.1:\(edgePort)\(path)",
                headers: ["Authorization": "Bearer \(key)"], timeout: .seconds(15)))
    }

    /// What the server API says of a user's one entitlement.
    package func entitlement(of user: String) async throws -> EntitlementAnswer? {
        let response = try await get("/api/v1/apps/\(Self.app)/users/\(user)")
        guard response.status == 200 else { return nil }
        struct Answer: Decodable { let entitlements: [EntitlementAnswer] }
        return try JSONDecoder().decode(Answer.self, from: Data(response.body)).entitlements
            .first { $0.entitlement == Self.entitlement }
    }
}

extension HTTPResponse {
    /// A number among metrics; 0 until it is shown.
    func number(_ name: String) -> Double {
        text.split(separator: "\n").first { $0.hasPrefix("\(name) ") }
            .flatMap { Double($0.dropFirst(name.count + 1)) } ?? 0
    }
}

/// The part of the server API's answer that tests look at.
package struct EntitlementAnswer: Decodable {
    package let entitlement: String
    package let active: Bool
    package let transactionId: String?
    package let trust: String
}
