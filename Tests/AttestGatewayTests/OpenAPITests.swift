import AttestGateway
import Foundation
import HTTP
import HTTPClient
import JSON
import Messages
import TestSupport
import Testing

@Suite("The OpenAPI document")
struct OpenAPITests {
    @Test("Every route of the router is in it, and nothing else")
    func routes() async throws {
        try await EdgeRig.with { rig in
            let answered = rig.edge.router.endpoints.map { "\($0.method) \($0.pattern)" }

            #expect(answered.sorted() == OpenAPIDocument.routes.map { "\($0.method) \($0.pattern)" }.sorted())
        }
    }

    @Test("It is served to any page, may be cached, and is not sent again to whoever has it")
    func served() async throws {
        try await EdgeRig.with { rig in
            let first = try await rig.send("GET", "/openapi.json", headers: ["Origin": "https://example.com"])
            let tag = try #require(first.header("ETag"))
            let again = try await rig.send("GET", "/openapi.json", headers: ["If-None-Match": tag])

            #expect(first.status == 200)
            #expect(first.header("Content-Type") == "application/json")
            #expect(first.header("Access-Control-Allow-Origin") == "*")
            #expect(first.header("Cache-Control") == "public, max-age=300")
            #expect(try JSONDecoder().decode(JSONValue.self, from: Data(first.body)) == OpenAPIDocument.value)
            #expect(again.status == 304 && again.body.isEmpty)
        }
    }

    static let bodies = OpenAPIDocument.routes.filter { $0.body != nil }.map(\.name)

    @Test("Every example is as its schema says, and is taken by what reads the body", arguments: bodies)
    func examples(name: String) throws {
        let body = try Self.body(of: name)
        #expect(!body.examples.isEmpty)

        for (example, value) in body.examples {
            let faults = JSONSchema(in: OpenAPIDocument.value).faults(of: value, as: body.schema)
            #expect(faults == [] || body.schema["properties"] == nil, "\(example)")
            #expect(throws: Never.self, "\(example)") { try body.read(JSONCoding.encode(value)) }
        }
    }

    @Test(
        "What the schema demands of a member, the reader of the body demands too: no more, no less", arguments: bodies)
    func limits(name: String) throws {
        let body = try Self.body(of: name)
        guard case .object(let properties) = body.schema["properties"] else { return }
        let example = try #require(body.examples.values.max { "\($0)".count < "\($1)".count })
        guard case .object(let members) = example, case .array(let required) = body.schema["required"] else {
            Issue.record("no object")
            return
        }
        func isTaken(_ member: String, _ value: JSONValue?) -> Bool {
            var changed = members
            changed[member] = value
            return (try? body.read(JSONCoding.encode(JSONValue.object(changed)))) != nil
        }

        for (member, schema) in properties {
            let types = schema["type"].map(Self.types) ?? []
            #expect(isTaken(member, nil) == !required.contains(.string(member)), "\(member) left out")
            guard !types.isEmpty else { continue }
            #expect(isTaken(member, .null) == types.contains("null"), "\(member) null")
            #expect(types.contains("array") || !isTaken(member, [1]), "\(member) an array")
            guard types.contains("string"), schema["enum"] == nil, schema["pattern"] == nil else { continue }
            #expect(isTaken(member, "") == (schema["minLength"] == nil), "\(member) empty")
            guard case .integer(let most) = schema["maxLength"] else { continue }
            #expect(isTaken(member, .string(String(repeating: "x", count: Int(most)))), "\(member) of \(most)")
            #expect(!isTaken(member, .string(String(repeating: "x", count: Int(most) + 1))), "\(member) of \(most + 1)")
        }
    }

    @Test("Every code that the sources of edge and server answer is there, with a sentence and its status")
    func codes() throws {
        let documented = OpenAPIDocument.routes.flatMap(\.errors) + ErrorCode.elsewhere
        #expect(documented.allSatisfy { $0.meaning.hasSuffix(".") })
        let known = Set(documented.map { "\($0.status) \($0.code)" })

        for (code, place) in try Self.codesInSources() { #expect(known.contains(code), "\(code), in \(place)") }
        for problem in JSONError.Problem.allCases where problem != .unencodable {
            #expect(known.contains("400 \(problem.rawValue)"))
        }
        for refusal in Refusal.attestation + Refusal.assertion { #expect(known.contains("401 \(refusal.reason)")) }
    }

    @Test("Each refusal is there under the code that a schema allows, and none of them twice")
    func once() {
        for route in OpenAPIDocument.routes {
            let codes = route.errors.map { "\($0.status) \($0.code)" }
            #expect(Set(codes).count == codes.count, "\(route.name)")
        }
    }

    @Test("Every sentence about a member of an answer is about one that there is")
    func sentences() {
        let schemas = OpenAPIDocument.value["components"]?["schemas"]

        for (name, meaning) in AnswerSchemas.meanings {
            let parts = name.split(separator: ".").map(String.init)
            let schema = schemas?[parts.dropLast().joined(separator: ".")]
            #expect(schema?["properties"]?[parts.last ?? ""]?["description"] == .string(meaning), "\(name)")
        }
    }

    @Test("What a server is told of a user is as the schema says, with all that there can be and with the least")
    func userAnswer() async throws {
        for name in ["user.get.v1.answer", "user.get.v1.answer.full"] {
            guard let file = Self.golden(name) else { continue }
            let view = try JSONDecoder().decode(Answer<UserView>.self, from: file)
            try await EdgeRig.with(keys: [ShowUserTests.key()], askResolver: { _, _ in view }) { rig in
                let response = try await rig.send(
                    "GET", "/api/v1/apps/com.example.tunes/users/u",
                    headers: ["Authorization": "Bearer \(ShowUserTests.secret)"])
                let value = try JSONDecoder().decode(JSONValue.self, from: Data(response.body))
                let route = try #require(OpenAPIDocument.routes.first { $0.name == "user" })

                #expect(response.status == 200)
                #expect(JSONSchema(in: OpenAPIDocument.value).faults(of: value, as: route.answer) == [], "\(name)")
            }
        }
    }

    // MARK: -

    private static func body(of name: String) throws -> DocumentedRoute.Body {
        try #require(OpenAPIDocument.routes.first { $0.name == name }?.body)
    }

    private static func types(_ type: JSONValue) -> [String] {
        if case .array(let types) = type { types.compactMap(\.string) } else { [type.string ?? ""] }
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../..").standardized

    private static func golden(_ name: String) -> Data? {
        try? Data(contentsOf: root.appendingPathComponent("Tests/MessagesTests/Golden/\(name).json"))
    }

    /// `<status> <code>` with where it stands, of every refusal that is written out in the sources.
    private static func codesInSources() throws -> [(code: String, place: String)] {
        let statuses = [
            "badRequest": 400, "unauthorized": 401, "forbidden": 403, "notFound": 404, "methodNotAllowed": 405,
            "conflict": 409, "contentTooLarge": 413, "uriTooLong": 414, "tooManyRequests": 429,
            "headerFieldsTooLarge": 431, "internalServerError": 500, "serviceUnavailable": 503,
        ]
        let shape = /\.(?<status>[a-zA-Z]+)(?:\(\s*|,\s*)"(?<code>[a-z][a-z0-9_]+)"/
        var codes: [(code: String, place: String)] = []
        for folder in ["Services/AttestGateway", "Shared/HTTP"] {
            let files = FileManager.default.enumerator(
                at: root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift", !file.path.contains("/OpenAPI/") else { continue }
                for match in try String(contentsOf: file, encoding: .utf8).matches(of: shape) {
                    guard let status = statuses[String(match.output.status)] else { continue }
                    codes.append(("\(status) \(match.output.code)", file.lastPathComponent))
                }
            }
        }
        #expect(codes.count > 30)
        return codes
    }
}
