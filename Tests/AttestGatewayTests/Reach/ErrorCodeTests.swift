import AttestGateway
import Foundation
import HTTP
import HTTPClient
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("Every error that the SDK's routes have")
struct ErrorCodeTests {
    /// A way to an error.
    struct Way: Sendable, CustomTestStringConvertible {
        let code: String
        let status: Int
        /// Goes it, on every route that it is open on.
        let go: @Sendable () async throws -> [HTTPResponse]

        var testDescription: String { code }
    }

    private static let prefix = "/api/sdk/v1/"

    /// By a body that is sent as it is, to every route.
    private static func body(_ code: String, _ text: String) -> Way { body(code, Array(text.utf8)) }

    private static func body(_ code: String, _ bytes: [UInt8], status: Int = 400) -> Way {
        Way(code: code, status: status) { try await each { rig, route in try await rig.post(route.path, bytes) } }
    }

    /// By what one member says, to every route that has it.
    private static func member(_ code: String, _ name: String, _ text: String) -> Way {
        Way(code: code, status: 400) {
            try await each(SDKRoute.all.filter { $0.good[name] != nil }) { rig, route in
                try await rig.post(route.path, route.bytes([name: text]))
            }
        }
    }

    private static func headers(_ code: String, _ status: Int, _ headers: [String: String]) -> Way {
        Way(code: code, status: status) {
            try await each { rig, route in try await rig.post(route.path, headers: headers, route.bytes()) }
        }
    }

    /// By what the registry says of a device.
    private static func registry(_ refusal: Refusal) -> Way {
        Way(code: refusal.reason, status: 401) {
            try await each(enrolling, registrar: { Registrar(.refused(refusal)) }) { rig, route in
                try await rig.post(route.path, route.bytes())
            }
        }
    }

    private static let enrolling = SDKRoute.all.filter { $0.kind == .enrolment }
    private static let writing = SDKRoute.all.filter { $0.kind == .write }
    /// Those whose bodies are about an app.
    private static let ofApps = SDKRoute.all.filter { $0.kind != .challenge }

    /// One request to each of `routes`, each at an edge of its own.
    private static func each(
        _ routes: [SDKRoute] = SDKRoute.all, _ environment: [String: String] = [:], apps: [AppRecord] = [.tunes],
        registrar: () -> Registrar = { Registrar() },
        _ send: @escaping @Sendable (EdgeRig, SDKRoute) async throws -> HTTPResponse
    ) async throws -> [HTTPResponse] {
        var responses: [HTTPResponse] = []
        for route in routes {
            let (stream, continuation) = AsyncStream.makeStream(of: HTTPResponse.self)
            try await EdgeRig.with(registrar(), environment, apps: apps) { rig in
                continuation.yield(try await send(rig, route))
                continuation.finish()
            }
            for await response in stream { responses.append(response) }
        }
        return responses
    }

    /// Another server of `rig`'s routes, which is not as they usually are.
    private static func serve(
        _ rig: EdgeRig, _ change: (inout HTTPServerConfiguration) -> Void,
        _ body: (HTTPServer, String, Task<Void, any Error>) async throws -> HTTPResponse
    ) async throws -> HTTPResponse {
        var configuration = HTTPServerConfiguration()
        change(&configuration)
        let server = try HTTPServer(
            configuration, router: rig.edge.router, logger: .silent, metrics: MetricsRegistry())
        let running = Task { try await server.run() }
        defer { running.cancel() }
        return try await body(server, "http://127.0.0.1:\(server.port)\(prefix)", running)
    }

    private static func post(_ url: String, _ bytes: [UInt8]) async throws -> HTTPResponse {
        try await HTTPClient().send(HTTPRequest(method: "POST", url: url, body: bytes, timeout: .seconds(10)))
    }

    static let ways: [Way] =
        [
            body("unexpected_end", "{"), body("unexpected_byte", "{]"), body("trailing_bytes", "{}x"),
            body("invalid_utf8", [UInt8(ascii: "{"), 0x22, 0xFF, 0x22, UInt8(ascii: ":"), 0x31, UInt8(ascii: "}")]),
            body("control_character", "{\"a\":\"\u{1}\"}"), body("bad_escape", #"{"a":"\q"}"#),
            body("lone_surrogate", #"{"a":"\ud800"}"#), body("nul", #"{"bundleId":"\u0000"}"#),
            body("bad_number", #"{"a":01}"#),
            body("duplicate_member", #"{"a":1,"a":1}"#),
            body("too_deep", #"{"a":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}"),
            body("wrong_type", "[]"),
            body("body_too_large", [UInt8](repeating: 0x20, count: 256 * 1024 + 1), status: 413),
            member("missing_member", "bundleId", "null"), member("field_empty", "bundleId", #""""#),
            member("field_too_long", "bundleId", letters(257)),
            Way(code: "bad_value", status: 400) {
                try await each([SDKRoute.all[0]]) { rig, route in
                    try await rig.post(route.path, route.bytes(["attributes": #"{"a":1e999}"#]))
                }
            },
            Way(code: "too_many_elements", status: 400) {
                let many = "[" + Array(repeating: #""x""#, count: 65).joined(separator: ",") + "]"
                return try await each(SDKRoute.all.filter { $0.array != nil }) { rig, route in
                    try await rig.post(route.path, route.bytes([route.array ?? "": many]))
                }
            },
            headers("idempotency_key_malformed", 400, ["Idempotency-Key": "é"]),
            headers("malformed_header", 400, ["Host": "a b", "Transfer-Encoding": "gzip"]),
            headers("headers_too_large", 431, ["X-Long": String(repeating: "x", count: 9 * 1024)]),
            Way(code: "malformed_target", status: 400) {
                try await each { rig, route in try await rig.post(route.path + "?%zz", route.bytes()) }
            },
            Way(code: "target_too_long", status: 414) {
                try await each { rig, route in
                    try await rig.post(route.path + "?" + String(repeating: "x", count: 9 * 1024), route.bytes())
                }
            },
            Way(code: "not_found", status: 404) {
                try await each { rig, route in try await rig.post(route.path + "/x", route.bytes()) }
            },
            Way(code: "method_not_allowed", status: 405) {
                try await each { rig, route in try await rig.send("PUT", prefix + route.path, route.bytes()) }
            },
            headers("token_malformed", 401, ["Authorization": "Bearer dt_x"]),
            headers("token_expired", 401, BearerTests.headers(EdgeRig.token(until: .epoch))),
            Way(code: "token_revoked", status: 401) {
                try await each { rig, route in
                    rig.edge.registry.take(Registrar.standing(generation: 3, least: 3, version: 9))
                    return try await rig.post(
                        route.path, headers: BearerTests.headers(EdgeRig.token(generation: 2)), route.bytes())
                }
            },
            Way(code: "token_wrong_app", status: 401) {
                let device = AttestedDevice(
                    organisation: "acme", app: "com.example.radio", keyID: DeviceTokenTests.device.keyID)
                return try await each(ofApps) { rig, route in
                    try await rig.post(
                        route.path, headers: BearerTests.headers(EdgeRig.token(of: device)), route.bytes())
                }
            },
            Way(code: "challenge_unknown", status: 401) {
                try await each(enrolling) { rig, route in
                    try await rig.post(route.path, route.bytes(["challenge": #""x""#]))
                }
            },
            Way(code: "challenge_expired", status: 401) {
                try await each(enrolling) { rig, route in
                    let old = EdgeRig.challenge(at: .epoch + .seconds(-3_600))
                    return try await rig.post(route.path, route.bytes(["challenge": "\"\(old)\""]))
                }
            },
            Way(code: "bundle_unresolved", status: 404) {
                let here = try await each(enrolling, apps: []) { rig, route in
                    try await rig.post(route.path, route.bytes())
                }
                let there = try await each(enrolling, registrar: { Registrar(.refused(.appUnknown)) }) { rig, route in
                    try await rig.post(route.path, route.bytes())
                }
                return here + there
            },
            Way(code: "idempotency_key_reused", status: 409) {
                try await each(ofApps) { rig, route in
                    let headers = ["Idempotency-Key": "k"]
                    _ = try await rig.post(route.path, headers: headers, route.bytes())
                    return try await rig.post(
                        route.path, headers: headers, route.bytes(route.change.mapValues(Optional.some)))
                }
            },
            Way(code: "too_many_requests", status: 429) {
                try await each(SDKRoute.all, ["TOLLGATE_LIMIT_ADDRESS": "1"]) { rig, route in
                    _ = try await rig.post(route.path, route.bytes())
                    let response = try await rig.post(route.path, route.bytes())
                    #expect(Int(response.header("Retry-After") ?? "") ?? 0 >= 1)
                    return response
                }
            },
            Way(code: "not_accepted", status: 503) {
                try await each(writing) { rig, route in
                    rig.publisher.answer(.unknown)
                    return try await rig.post(route.path, route.bytes())
                }
            },
            Way(code: "registry_unavailable", status: 503) {
                try await each(writing + enrolling) { rig, route in
                    rig.edge.registry.lostTouch()
                    return try await rig.post(route.path, route.bytes(["bundleId": #""com.example.nobody""#]))
                }
            },
            Way(code: "deadline_exceeded", status: 503) {
                try await each(writing, ["TOLLGATE_PUBLISH_DEADLINE": "1ms"]) { rig, route in
                    let gate = Gate()
                    defer { gate.open() }
                    rig.publisher.hold(gate)
                    return try await rig.post(route.path, route.bytes())
                }
            },
            Way(code: "overloaded", status: 503) {
                try await each { rig, route in
                    try await serve(rig, { $0.bodyMemoryLimit = 1 }) { _, url, _ in
                        try await post(url + route.path, route.bytes())
                    }
                }
            },
            Way(code: "stopping", status: 503) {
                try await each(writing) { rig, route in
                    let gate = Gate()
                    defer { gate.open() }
                    rig.publisher.hold(gate)
                    return try await serve(rig, { $0.gracePeriod = .milliseconds(1) }) { _, url, running in
                        async let response = post(url + route.path, route.bytes())
                        _ = await eventually { !rig.publisher.published.isEmpty }
                        running.cancel()
                        return try await response
                    }
                }
            },
        ] + registryRefusals.map(registry)

    private static let registryRefusals =
        Refusal.attestation + [.signatureInvalid, .counterNotGreater]
        + [.challengeUsed, .deviceRevoked, .deviceUnknown, .tokenRevoked, .teamMissing]

    @Test(
        "Each is reached, on every route that can have it, says its status, and may be read by any page",
        arguments: ways)
    func reached(way: Way) async throws {
        let responses = try await way.go()

        #expect(!responses.isEmpty)
        for response in responses {
            #expect(response.status == way.status, "\(response.text)")
            #expect(response.refusal?.first == way.code)
            #expect(response.header("Cache-Control") == "no-store")
        }
    }

    @Test("What the service's README tells of is what is reached here, no more and no less")
    func documented() throws {
        let readme = try String(
            contentsOf: BuiltExecutable.packageFolder.appendingPathComponent("Services/AttestGateway/README.md"),
            encoding: .utf8)
        let start = try #require(readme.range(of: "## The SDK's routes"))
        let end = try #require(readme.range(of: "\n## ", range: start.upperBound..<readme.endIndex))
        let rows = readme[start.lowerBound..<end.lowerBound].split(separator: "\n").map {
            $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        // | status | codes | when |
        var documented: Set<String> = []
        for row in rows where row.count >= 3 && (row[0].hasPrefix("4") || row[0].hasPrefix("5")) {
            documented.formUnion(row[1].matches(of: /`([a-z0-9_]+)`/).map { String($0.output.1) })
        }
        let reached = Set(Self.ways.map(\.code))

        #expect(documented.subtracting(reached).sorted() == [])
        #expect(reached.subtracting(documented).sorted() == [])
    }
}
