import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import TestSupport

/// What the app's server does, with a key of its own.
extension LinePlay {
    /// The answer has to be the same in each run, and whenever the same is asked again.
    mutating func askForVerdicts() async throws {
        let isNews = Bool.random(using: &content)
        let date = nextDate()
        if isNews { purchase?.recover(at: date) }
        guard let transaction = purchase?.latest else { throw TestFailure("nothing was bought") }
        let genuine = try stage.installation.authority.signTransaction(transaction)
        let forged = try stage.forger.signTransaction(transaction)
        for (name, kind, text) in [
            ("genuine", "auto", genuine), ("forged", "transaction", forged), ("wrong kind", "receipt", genuine),
        ] {
            let verdict = try await verdict(on: text, as: kind)
            verdicts["\(step) \(name)"] = verdict
            guard stage.isRough, hits(0.5) else { continue }
            stage.tally.add("verdicts asked for again")
            let again = try await self.verdict(on: text, as: kind)
            guard again == verdict else { throw TestFailure("\(name): \(verdict) became \(again)") }
        }
        // What is judged is told, too.
        if isNews, let holder { try await awaitHolding(by: holder) }
    }

    /// Without what differs from run to run: dates.
    private func verdict(on text: String, as kind: String) async throws -> JSONValue {
        let body: JSONValue = .object([
            "bundleId": .string(Installation.app), "kind": .string(kind), "artifact": .string(text),
        ])
        let request = HTTPRequest(
            method: "POST", url: "http://127.0.0.1:\(stage.installation.edgePort)/api/v1/verify",
            headers: ["Content-Type": "application/json", "Authorization": "Bearer \(stage.writeKey)"],
            body: Array(try JSONEncoder().encode(body)), timeout: .seconds(8))
        let stage = stage
        var report = JSONValue.null
        try await stage.insist("a verdict") {
            guard let response = try? await stage.installation.http.send(request) else { return "no answer" }
            guard response.status == 200 else { return "\(response.status) \(response.text.prefix(200))" }
            report = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
            return nil
        }
        guard case .object(var members) = report, case .object(let fields)? = members["fields"] else {
            throw TestFailure("no report: \(report)")
        }
        members["message"] = nil
        members["fields"] = .array(fields.keys.sorted().map(JSONValue.string))
        return .object(members)
    }

    /// A key is good from when it is made until it is revoked.
    mutating func passKey() async throws {
        let secret = "tk_" + Base64.url.encode(Digest.sha256("\(seed)-\(line.number)".utf8))
        let id = KeyID(rawValue: "line-\(line.number)")
        try await stage.command(
            KeyAdd(
                organisation: Stage.organisation, id: id, digest: Digest.sha256(secret.utf8).hexadecimal,
                scope: .read))
        try await awaitStatus(200, with: secret)
        try await stage.command(KeyRevoke(organisation: Stage.organisation, id: id))
        try await awaitStatus(401, with: secret)
    }

    private func awaitStatus(_ status: Int, with secret: String) async throws {
        let path = "/api/v1/apps/\(Installation.app)/users/\(user(.anna))"
        let request = HTTPRequest(
            method: "GET", url: "http://127.0.0.1:\(stage.installation.edgePort)\(path)",
            headers: ["Authorization": "Bearer \(secret)"], timeout: .seconds(8))
        let stage = stage
        try await stage.insist("\(status) with the key of line \(line.number)") {
            let answer = try? await stage.installation.http.send(request).status
            return answer == status ? nil : "\(answer ?? 0)"
        }
    }
}
