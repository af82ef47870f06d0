import AttestGateway
import Foundation
import HTTPClient
import JSON
import Messages
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("A verdict for a server")
struct VerifyRouteTests {
    /// Answers every question with this report, and keeps them.
    private final class Validator: Sendable {
        private let questions = Mutex<[ArtifactVerify]>([])
        let verdict: String

        init(verdict: String = "verified") { self.verdict = verdict }

        var asked: [ArtifactVerify] { questions.withLock { $0 } }

        func answer(_ question: ArtifactVerify) -> Answer<ArtifactVerify.Value> {
            questions.withLock { $0.append(question) }
            return .applied(.init(report: .object(["kind": .string("transaction"), "verdict": .string(verdict)])))
        }
    }

    private static let headers = ["Authorization": "Bearer \(ShowUserTests.secret)"]

    private static func with(
        _ validator: Validator, scope: KeyRecord.Scope = .write, environment: [String: String] = [:],
        _ body: @Sendable (EdgeRig) async throws -> Void
    ) async throws {
        try await EdgeRig.with(
            environment, keys: [ShowUserTests.key(scope: scope)],
            askValidator: { question, _ in validator.answer(question) },
            body)
    }

    private static func verify(
        _ rig: EdgeRig, _ body: String, headers: [String: String] = Self.headers
    ) async throws -> HTTPResponse {
        try await rig.send("POST", "/api/v1/verify", headers: headers, Array(body.utf8))
    }

    @Test("Whatever the verdict, it is 200 with the report", arguments: ["verified", "refused", "retryable"])
    func report(verdict: String) async throws {
        let validator = Validator(verdict: verdict)
        try await Self.with(validator) { rig in
            let response = try await Self.verify(
                rig, #"{"bundleId":"com.example.tunes","kind":"transaction","artifact":"e30.e30.c2ln","more":[]}"#)

            #expect(response.status == 200)
            #expect(response.text == #"{"kind":"transaction","verdict":"\#(verdict)"}"#)
            #expect(
                validator.asked == [
                    ArtifactVerify(
                        organisation: "acme", app: "com.example.tunes",
                        artifact: Artifact(kind: .transaction, text: "e30.e30.c2ln"),
                        digest: ArtifactDigest(rawValue: digest(of: "e30.e30.c2ln")))
                ])
            #expect(rig.publisher.published.isEmpty)
        }
    }

    @Test("Without a kind it is whatever it is", arguments: ["", #","kind":null"#, #","kind":"auto""#])
    func anyKind(member: String) async throws {
        let validator = Validator()
        try await Self.with(validator) { rig in
            let status = try await Self.verify(rig, #"{"bundleId":"com.example.tunes","artifact":"x"\#(member)}"#)
                .status

            #expect(status == 200)
            #expect(validator.asked.map(\.artifact.kind) == [.auto])
        }
    }

    @Test("An artifact with what belongs to it is one artifact, however its JSON is written")
    func parameters() async throws {
        let validator = Validator()
        let spellings = [
            #"{"assertion":"AA/==","last_counter":7,"public_key":"BB","challenge":null}"#,
            #"{ "public_key" : "B\u0042", "challenge": null, "last_counter": 7 ,  "assertion": "AA\/==" }"#,
        ]
        try await Self.with(validator) { rig in
            for artifact in spellings {
                let status = try await Self.verify(
                    rig, #"{"bundleId":"com.example.tunes","kind":"assertion","artifact":\#(artifact)}"#
                ).status
                #expect(status == 200)
            }
            let text = #"{"assertion":"AA/==","challenge":null,"last_counter":7,"public_key":"BB"}"#
            #expect(validator.asked.map(\.artifact.text) == [text, text])
        }
    }

    @Test(
        "A field that is not as it has to be is refused by name",
        arguments: [
            (#"{"artifact":"x"}"#, ["missing_member", "bundleId"]),
            (#"{"bundleId":"","artifact":"x"}"#, ["field_empty", "bundleId"]),
            (#"{"bundleId":"com.example.tunes"}"#, ["missing_member", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":null}"#, ["missing_member", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":""}"#, ["field_empty", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":1}"#, ["wrong_type", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":["x"]}"#, ["wrong_type", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":{"a":{}}}"#, ["wrong_type", "artifact.a"]),
            (#"{"bundleId":"com.example.tunes","artifact":{"a":1,"a":1}}"#, ["duplicate_member", "artifact"]),
            (#"{"bundleId":"com.example.tunes","artifact":{"a":71e999}}"#, ["bad_value", "artifact.a"]),
            (#"{"bundleId":"com.example.tunes","artifact":"x","kind":"certificate"}"#, ["bad_value", "kind"]),
            (#"{"bundleId":"com.example.tunes","artifact":"x","kind":7}"#, ["wrong_type", "kind"]),
            ("[]", ["wrong_type"]), ("{", ["unexpected_end"]),
        ])
    func fields(body: String, refusal: [String]) async throws {
        let validator = Validator()
        try await Self.with(validator) { rig in
            let response = try await Self.verify(rig, body)

            #expect(response.status == 400)
            #expect(response.refusal == refusal, "\(response.text)")
            #expect(validator.asked.isEmpty)
        }
    }

    @Test("More members than any kind asks for are refused")
    func manyMembers() async throws {
        let members = (0..<33).map { #""m\#($0)":0"# }.joined(separator: ",")
        try await Self.with(Validator()) { rig in
            let response = try await Self.verify(
                rig, #"{"bundleId":"com.example.tunes","artifact":{\#(members)}}"#)

            #expect(response.status == 400)
            #expect(response.refusal == ["bad_value", "artifact"])
        }
    }

    @Test("A key has to be there, be known, and may write", arguments: [("read", 403), ("write", 200), ("admin", 200)])
    func keys(scope: String, status: Int) async throws {
        try await Self.with(Validator(), scope: KeyRecord.Scope(rawValue: scope)) { rig in
            let body = #"{"bundleId":"com.example.tunes","artifact":"x"}"#
            let response = try await Self.verify(rig, body)
            let missing = try await Self.verify(rig, body, headers: [:])
            let unknown = try await Self.verify(rig, "no JSON", headers: ["Authorization": "Bearer tk_other"])
            let elsewhere = try await Self.verify(rig, #"{"bundleId":"com.example.other","artifact":"x"}"#)

            #expect(response.status == status)
            #expect([missing, unknown].map(\.status) == [401, 401])
            #expect(missing.refusal == ["key_missing"])
            #expect(unknown.refusal == ["key_unknown"])
            #expect(elsewhere.refusal == [status == 403 ? "scope_insufficient" : "app_unknown"])
        }
    }

    @Test(
        "Where no verdict can be had it is 503 with Retry-After",
        arguments: [nil, Answer<ArtifactVerify.Value>.failed(Refusal("app_unknown", "x")), .refused(Refusal("x", "y"))])
    func unavailable(answer: Answer<ArtifactVerify.Value>?) async throws {
        try await EdgeRig.with(
            keys: [ShowUserTests.key(scope: .write)],
            askValidator: { _, _ in
                guard let answer else { throw Asker.NoAnswer() }
                return answer
            }
        ) { rig in
            let response = try await Self.verify(rig, #"{"bundleId":"com.example.tunes","artifact":"x"}"#)

            #expect(response.status == 503)
            #expect(response.refusal == ["validator_unavailable"])
            #expect(response.header("Retry-After") == "1")
            #expect(rig.metrics.render().contains(#"tollgate_edge_verifications_total{outcome="unavailable"} 1"#))
        }
    }

    @Test("2 MiB are taken, a byte more is not")
    func size() async throws {
        let validator = Validator()
        try await Self.with(validator) { rig in
            let frame = #"{"bundleId":"com.example.tunes","artifact":""}"#.utf8.count
            for (count, status) in [(2 << 20, 200), (2 << 20 + 1, 413)] {
                let text = String(repeating: "x", count: count - frame)
                let response = try await Self.verify(rig, #"{"bundleId":"com.example.tunes","artifact":"\#(text)"}"#)
                #expect(response.status == status)
            }
            #expect(validator.asked.map(\.artifact.text.utf8.count) == [2 << 20 - frame])
        }
    }

    @Test("2,000 bodies that are nothing, or nearly good, are answered 200, 400 or 404, and never 500")
    func noise() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        try await Self.with(Validator(), environment: ["TOLLGATE_LIMITS": "off"]) { rig in
            var noise = Noise(
                seed: seed,
                good: Array(
                    #"{"bundleId":"com.example.tunes","kind":"assertion","artifact":{"a":"b","c":7},"x":[{}]}"#.utf8))
            for _ in 0..<2_000 {
                let body = noise.body()
                let response = try await rig.send("POST", "/api/v1/verify", headers: Self.headers, body)
                #expect(
                    [200, 400, 404].contains(response.status),
                    "\(response.status) for \(String(decoding: body, as: UTF8.self)), seed \(seed)")
                if response.status != 200 { #expect(response.refusal != nil) }
            }
        }
    }
}
