import Foundation
import HTTP
import JSON
import ServiceKit
import Synchronization
import Testing

@Suite("Errors as answers")
struct ErrorTests {
    private struct Secret: Error { let password = "hunter2" }
    private struct Order: Codable { let count: Int }

    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
        var logger: Logger { Logger(service: "test") { line in self.all.withLock { $0.append(line) } } }
    }

    private func respond(
        _ logger: Logger = Logger(service: "test") { _ in }, body: String = "",
        _ handler: @escaping @Sendable (Request) async throws -> Response
    ) async -> Response {
        var router = Router()
        router.post("/x", handler)
        return await router.respond(.post, "/x", body: Array(body.utf8), logger: logger)
    }

    @Test("A refusal is answered as it says")
    func refusal() async throws {
        let response = await respond { _ in
            throw HTTPError(.conflict, "taken", "Say \"no\"\u{1}\n", field: "name", headers: ["Retry-After": "7"])
        }

        #expect(response.status == .conflict)
        #expect(response.headers["Retry-After"] == "7")
        #expect(response.headers["Content-Type"] == "application/json")
        let body = try JSONDecoder().decode([String: [String: String]].self, from: Data(response.body))
        #expect(body == ["error": ["code": "taken", "message": "Say \"no\"\u{1}\n", "field": "name"]])
    }

    @Test(
        "A body that is wrong is 400 and names the field",
        arguments: [
            (#"{"count":"one"}"#, "wrong_type", "count"), ("{}", "missing_member", "count"),
            (#"{"count":1,"count":2}"#, "duplicate_member", nil), ("", "unexpected_end", nil),
            (String(repeating: "[", count: 40), "too_deep", nil),
        ])
    func wrongBody(body: String, code: String, field: String?) async throws {
        let response = await respond(body: body) { request in .json(bytes: try request.decode(Order.self).bytes) }

        #expect(response.status == .badRequest)
        let answer = try JSONDecoder().decode([String: [String: String]].self, from: Data(response.body))
        #expect(answer["error"]?["code"] == code)
        #expect(answer["error"]?["field"] == field)
    }

    @Test("A value of ours that cannot be written is our mistake, not the client's")
    func unencodable() async {
        let response = await respond { _ in try .json(["number": Double.nan]) }

        #expect(response.status == .internalServerError)
    }

    @Test("Any other error is 500, is logged, and tells the client nothing")
    func internalError() async {
        let lines = Lines()

        let response = await respond(lines.logger) { _ in throw Secret() }

        #expect(response.status == .internalServerError)
        #expect(!String(decoding: response.body, as: UTF8.self).contains("hunter2"))
        #expect(lines.all.withLock { $0.count } == 1)
        #expect(lines.all.withLock { $0.first?.contains("\"route\":\"/x\"") } == true)
    }

    @Test("A cancelled handler says that it is safe to come again")
    func cancelled() async {
        let response = await respond { _ in throw CancellationError() }

        #expect(response.status == .serviceUnavailable)
        #expect(response.headers["Retry-After"] != nil)
    }

    @Test("What surrounds the handlers sees their errors as responses, and may refuse by itself")
    func around() async {
        var router = Router()
        router.post("/x") { _ in throw HTTPError.forbidden("no", "No") }
        router.around = { request, next in
            if request.headers["X-Refuse"] != nil { throw HTTPError.unauthorized("who", "Who?") }
            var response = await next(request)
            response.headers["X-Seen"] = "\(response.status)"
            return response
        }
        let logger = Logger(service: "test") { _ in }

        let answered = await router.respond(.post, "/x", logger: logger)
        let missing = await router.respond(.post, "/y", logger: logger)
        let refused = await router.respond(.post, "/x", headers: ["x-refuse": "1"], logger: logger)

        #expect(answered.headers["X-Seen"] == "403")
        #expect(missing.headers["X-Seen"] == "404")
        #expect(refused.status == .unauthorized)
        #expect(refused.headers["WWW-Authenticate"] == "Bearer")
    }
}

extension Encodable {
    fileprivate var bytes: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }
}
