import AttestGateway
import HTTPClient
import Messages
import TestSupport
import Testing

@Suite("Every field of every route, at its limit, below and above")
struct FieldLimitTests {
    private static func send(
        _ route: SDKRoute, _ changes: [String: String?], headers: [String: String] = [:], to rig: EdgeRig
    ) async throws -> HTTPResponse {
        try await rig.send("POST", "/api/sdk/v1/\(route.path)", headers: headers, route.bytes(changes))
    }

    /// Its form is no reason to refuse it: what it names may be unknown, that is another thing.
    private static func isTaken(_ response: HTTPResponse) -> Bool { [200, 401, 404].contains(response.status) }

    @Test("A text is taken up to its limit in bytes, whatever they spell", arguments: SDKRoute.allFields)
    func length(route: SDKRoute, field: SDKRoute.Field) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            let half = String(repeating: "é", count: field.bytes / 2)
            for text in [letters(1), letters(field.bytes - 1), letters(field.bytes), "\"\(half)\""] {
                let taken = try await Self.send(route, [field.name: text], to: rig)
                #expect(Self.isTaken(taken), "\(taken.status) \(taken.text), \(text.utf8.count)")
            }
            for text in [letters(field.bytes + 1), "\"\(half)x\"", "\"\(half)é\""] {
                let refused = try await Self.send(route, [field.name: text], to: rig)
                #expect(refused.status == 400)
                #expect(refused.refusal == ["field_too_long", field.name])
            }
        }
    }

    @Test("A text that is absent, null, empty or none is refused where it is needed", arguments: SDKRoute.allFields)
    func presence(route: SDKRoute, field: SDKRoute.Field) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            for absent in [nil, "null"] as [String?] {
                let response = try await Self.send(route, [field.name: absent], to: rig)
                #expect(field.isRequired ? response.refusal == ["missing_member", field.name] : response.status == 200)
            }
            let empty = try await Self.send(route, [field.name: #""""#], to: rig)
            #expect(field.isIdentifier ? empty.refusal == ["field_empty", field.name] : empty.status == 200)
            for value in ["7", "true", "[]", "{}"] {
                let response = try await Self.send(route, [field.name: value], to: rig)
                #expect(response.status == 400)
                #expect(response.refusal == ["wrong_type", field.name])
            }
            let nul = try await Self.send(route, [field.name: #""a\u0000b""#], to: rig)
            #expect(nul.status == 400)
            #expect(nul.refusal == ["nul", field.name])
        }
    }

    @Test("A body is taken up to 256 KiB and up to 32 deep, unknown members and all", arguments: SDKRoute.all)
    func body(route: SDKRoute) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            let frame = route.bytes(["x": #""""#]).count
            for (count, isGood) in [(255 * 1024, true), (256 * 1024, true), (256 * 1024 + 1, false)] {
                let response = try await Self.send(route, ["x": letters(count - frame)], to: rig)
                #expect(response.status == (isGood ? 200 : 413))
                #expect(response.refusal == (isGood ? nil : ["body_too_large"]))
            }
            // The body's object is the first level.
            for (depth, isGood) in [(30, true), (31, true), (32, false), (20_000, false)] {
                let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                let response = try await Self.send(route, ["x": nested], to: rig)
                #expect(response.status == (isGood ? 200 : 400))
                #expect(response.refusal == (isGood ? nil : ["too_deep", "x"]))
            }
        }
    }

    @Test("Attributes are taken up to 8192 bytes as they were sent, and flat")
    func attributes() async throws {
        let route = SDKRoute.all[0]
        try await EdgeRig.with { rig in
            let frame = #"{ "a" : "" }"#.utf8.count
            for (count, isGood) in [(8191, true), (8192, true), (8193, false)] {
                let text = #"{ "a" : "# + letters(count - frame) + " }"
                let response = try await Self.send(route, ["attributes": text], to: rig)
                #expect(response.status == (isGood ? 200 : 400))
                #expect(response.refusal == (isGood ? nil : ["field_too_long", "attributes"]))
            }
            for (text, refusal) in [
                (#"{"a":{}}"#, ["wrong_type", "attributes.a"]), ("[]", ["wrong_type", "attributes"]),
                (#"{"a":1e400}"#, ["bad_value", "attributes.a"]),
            ] {
                let response = try await Self.send(route, ["attributes": text], to: rig)
                #expect(response.refusal == refusal)
            }
        }
    }

    @Test("A signed transaction is as long as its body lets it be")
    func signedTransaction() async throws {
        let route = SDKRoute.all[1]
        try await EdgeRig.with { rig in
            let frame = route.bytes(["jws": #""""#]).count
            for (count, status) in [(1, 200), (256 * 1024 - frame, 200), (256 * 1024 - frame + 1, 413)] {
                let response = try await Self.send(route, ["jws": letters(count)], to: rig)
                #expect(response.status == status)
            }
        }
    }

    @Test("Idempotency-Key is 1 to 255 printable characters", arguments: SDKRoute.all)
    func idempotencyKey(route: SDKRoute) async throws {
        try await EdgeRig.with(Registrar()) { rig in
            for (count, isGood) in [(1, true), (254, true), (255, true), (256, false)] {
                let key = String(repeating: "k", count: count)
                let response = try await Self.send(route, [:], headers: ["Idempotency-Key": key], to: rig)
                #expect(response.status == (isGood ? 200 : 400))
                #expect(response.refusal == (isGood ? nil : ["idempotency_key_malformed", "Idempotency-Key"]))
            }
        }
    }
}
