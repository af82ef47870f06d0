import Crypto
import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import StoreArtifacts
import StoreSimulator
import TestSupport

/// How a step gets in. In the rough, some come twice, at once or later, under the same id.
extension LinePlay {
    /// Posts to the edge until it is answered 200; a key makes every copy the same message.
    mutating func post(_ path: String, _ body: JSONValue, as name: String, token: String? = nil) async throws {
        var headers = ["Content-Type": "application/json", "Idempotency-Key": "\(line.number)-\(step)-\(name)"]
        headers["Authorization"] = token.map { "Bearer \($0)" }
        let request = HTTPRequest(
            method: "POST", url: "http://127.0.0.1:\(stage.installation.edgePort)\(path)", headers: headers,
            body: Array(try JSONEncoder().encode(body)), timeout: .seconds(8))
        let stage = stage
        try await stage.insist(path) {
            let response = try? await stage.installation.http.send(request)
            if response?.status == 200 { return nil }
            stage.tally.add("sent again: no 200")
            return response.map { "\($0.status) \($0.text.prefix(200))" } ?? "no answer"
        }
        if stage.isRough, hits(0.25) {
            later {
                let answer = try? await stage.installation.http.send(request)
                if answer?.status == 200 { stage.tally.add("doubled over HTTP") }
            }
        }
    }

    func sdk(_ route: String) -> String { "/api/sdk/v1/\(route)" }

    /// Puts commands onto their queues until the broker has confirmed them.
    mutating func push(_ publications: [Publication]) async throws {
        let stage = stage
        var order = publications
        if stage.isRough, order.count > 1 {
            order.shuffle(using: &dice)
            stage.tally.add("reordered", order.count)
        }
        var rest = order
        try await stage.insist("publish") {
            let outcomes = await stage.stranger.publish(rest, deadline: .now + .seconds(5))
            rest = zip(rest, outcomes).filter { $1 != .confirmed }.map(\.0)
            if rest.isEmpty { return nil }
            stage.tally.add("sent again: not confirmed", rest.count)
            return "\(outcomes)"
        }
        if stage.isRough {
            for publication in order where hits(0.35) {
                later {
                    let outcome = await stage.stranger.publish(publication, deadline: .now + .seconds(5))
                    if outcome == .confirmed { stage.tally.add("doubled on a queue") }
                }
            }
        }
    }

    /// A command as a stranger sends it, with the time at which it was accepted.
    func publication<C: Command>(
        _ command: C, as name: String, acceptedAt: Timestamp = .now
    ) throws -> Publication {
        var envelope = Envelope(
            kind: C.kind, id: MessageID(rawValue: "t\(seed)-\(line.number)-\(step)-\(name)"),
            body: try MessageJSON.encode(command))
        envelope.key = command.key
        envelope.acceptedAt = acceptedAt
        return Publication(envelope, to: .command(C.recipient, command.bucket), isMandatory: true)
    }

    func submission(
        _ text: String, _ kind: Artifact.Kind, of app: AppID = Stage.app, claimedBy claim: TransactionClaim? = nil
    )
        -> ArtifactSubmit
    {
        ArtifactSubmit(
            organisation: Stage.organisation, app: app, artifact: Artifact(kind: kind, text: text),
            digest: ArtifactDigest(rawValue: Digest.sha256(text.utf8).hexadecimal), claim: claim)
    }

    /// Some time later, beside what the line does next: whoever doubles does so when he likes.
    private mutating func later(_ work: @escaping @Sendable () async -> Void) {
        let wait = Duration.milliseconds(Int.random(in: 0...3000, using: &dice))
        stage.stragglers.add(
            Task {
                try? await Task.sleep(for: wait)
                await work()
            })
    }

    // MARK: What shows

    /// Waits until what the edge says of a user is as it should be.
    func awaitView(
        of person: Step.Person, in app: String = Installation.app, _ isThere: (JSONValue) -> Bool
    ) async throws {
        let path = "/api/v1/apps/\(app)/users/\(user(person))"
        try await stage.insist("what \(user(person)) should be") {
            guard let response = try? await stage.installation.get(path) else { return "no answer" }
            guard let view = try? JSONDecoder().decode(JSONValue.self, from: Data(response.body)) else {
                return "\(response.status)"
            }
            return isThere(view) ? nil : "\(response.status) \(response.text.prefix(400))"
        }
    }

    /// Waits until the holder has the chain with its newest transaction.
    func awaitHolding(by person: Step.Person, _ isThere: (JSONValue) -> Bool = { _ in true }) async throws {
        guard let purchase else { throw TestFailure("nothing was bought") }
        let latest = purchase.latest.transactionID
        let count = Int64(purchase.transactions.count)
        let original = original
        try await awaitView(of: person) { view in
            guard case .array(let held)? = view["transactions"] else { return false }
            return held.contains {
                $0["originalTransactionId"]?.string == original && $0["transactionId"]?.string == latest
                    && $0["count"] == .integer(count) && isThere($0)
            }
        }
    }
}
