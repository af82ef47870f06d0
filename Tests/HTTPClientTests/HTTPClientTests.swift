import HTTP
import HTTPClient
import ServiceKit
import Testing

@Suite("The client")
struct HTTPClientTests {
    private static let router: Router = {
        var router = Router()
        router.get("/ping") { _ in .text("pong") }
        router.get("/teapot") { _ in
            Response(status: HTTPStatus(rawValue: 418), headers: ["X-One": "1"], body: [0, 255, 0])
        }
        router.get("/large") { request in
            Response(body: [UInt8](repeating: 1, count: Int(request.query("bytes") ?? "") ?? 0))
        }
        router.get("/moved") { _ in Response(status: HTTPStatus(rawValue: 302), headers: ["Location": "/ping"]) }
        router.get("/never") { _ in
            // Never: whoever asks has gone long before.
            try await Task.sleep(for: .seconds(3600))
            return .empty()
        }
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] {
            router.on(HTTPMethod(rawValue: method), "/mirror") { request in
                var headers = HTTPHeaders()
                for field in request.headers.fields where field.name != "Content-Length" {
                    headers.add("Mirror-\(field.name)", "<\(field.value)>")
                }
                headers["Mirror-Method"] = request.method.rawValue
                return Response(headers: headers, body: request.body)
            }
        }
        return router
    }()

    private func withServer(_ body: @Sendable (_ base: String) async throws -> Void) async throws {
        var configuration = HTTPServerConfiguration()
        // It cannot know that a client has given up; nobody waits for these answers.
        configuration.gracePeriod = .zero
        let server = try HTTPServer(configuration, router: Self.router, logger: Logger(service: "test") { _ in })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            defer { group.cancelAll() }
            try await body("http://127.0.0.1:\(server.port)")
        }
    }

    private func failure(
        _ request: HTTPRequest, _ client: HTTPClient = HTTPClient()
    ) async -> HTTPClientError.Kind? {
        do throws(HTTPClientError) {
            _ = try await client.send(request)
            return nil
        } catch {
            return error.kind
        }
    }

    @Test("Any status is an answer, with all its headers and bytes")
    func answers() async throws {
        try await withServer { base in
            let response = try await HTTPClient().send(HTTPRequest(url: base + "/teapot"))

            #expect(response.status == 418)
            #expect(response.body == [0, 255, 0])
            #expect(response.header("x-one") == "1")
            #expect(response.header("x-two") == nil)
        }
    }

    @Test("Sends the method, the headers and the body as they are, and nothing of its own beside them")
    func sends() async throws {
        try await withServer { base in
            let client = HTTPClient()
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                for body in [[], [0, 1, 2, 0, 255], [UInt8](repeating: 9, count: 200_000)] {
                    let response = try await client.send(
                        HTTPRequest(
                            method: method, url: base + "/mirror", headers: ["X-Empty": "", "X-One": "a: b"],
                            body: body))

                    #expect(response.status == 200)
                    #expect(response.body == body)
                    #expect(response.header("Mirror-Method") == method)
                    #expect(response.header("Mirror-X-One") == "<a: b>")
                    #expect(response.header("Mirror-X-Empty") == "<>")
                    #expect(response.header("Mirror-Content-Type") == nil)
                    #expect(response.header("Mirror-Expect") == nil)
                }
            }
            let head = try await client.send(HTTPRequest(method: "HEAD", url: base + "/mirror"))
            #expect(head.status == 200)
            #expect(head.body.isEmpty)
        }
    }

    @Test("User and password go out as Basic credentials")
    func credentials() async throws {
        try await withServer { base in
            let response = try await HTTPClient().send(
                HTTPRequest(url: base + "/mirror", credentials: .init(user: "guest", password: "päss:word")))

            #expect(response.header("Mirror-Authorization") == "<Basic Z3Vlc3Q6cMOkc3M6d29yZA==>")
        }
    }

    @Test("Many requests are in flight at once from one client")
    func manyAtOnce() async throws {
        try await withServer { base in
            let client = HTTPClient()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        let response = try await client.send(
                            HTTPRequest(method: "POST", url: base + "/mirror", body: Array("\(number)".utf8)))
                        return response.text == "\(number)"
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("A redirect is an answer, unless the client follows them")
    func redirects() async throws {
        try await withServer { base in
            var following = HTTPClientConfiguration()
            following.maxRedirects = 2

            let plain = try await HTTPClient().send(HTTPRequest(url: base + "/moved"))
            let followed = try await HTTPClient(following).send(HTTPRequest(url: base + "/moved"))

            #expect(plain.status == 302)
            #expect(plain.header("Location") == "/ping")
            #expect(followed.status == 200)
            #expect(followed.text == "pong")
            #expect(followed.header("Location") == nil)
        }
    }

    @Test("A body may be as long as the client takes", arguments: [(1_000, true), (1_001, false), (5_000_000, false)])
    func bodyLimit(bytes: Int, isTaken: Bool) async throws {
        try await withServer { base in
            var configuration = HTTPClientConfiguration()
            configuration.bodyLimit = 1_000
            let client = HTTPClient(configuration)

            let kind = await failure(HTTPRequest(url: base + "/large?bytes=\(bytes)"), client)

            #expect(kind == (isTaken ? nil : .bodyTooLarge))
            let next = try await client.send(HTTPRequest(url: base + "/ping"))
            #expect(next.text == "pong")
        }
    }

    @Test("A request that is not answered in time fails, and harms no other")
    func timeout() async throws {
        try await withServer { base in
            let client = HTTPClient()
            async let late = failure(HTTPRequest(url: base + "/never", timeout: .milliseconds(50)), client)
            let other = try await client.send(HTTPRequest(url: base + "/ping"))

            #expect(await late == .timedOut)
            #expect(other.text == "pong")
        }
    }

    @Test("A cancelled task gets its error at once, before or during the request")
    func cancellation() async throws {
        try await withServer { base in
            let client = HTTPClient()
            let request = HTTPRequest(url: base + "/never", timeout: .seconds(600))
            let tasks = (0..<50).map { _ in Task { await failure(request, client) } }
            for (index, task) in tasks.enumerated() {
                if index.isMultiple(of: 2) { await Task.yield() }
                task.cancel()
            }

            for task in tasks { #expect(await task.value == .cancelled) }
        }
    }

    @Test(
        "What cannot be sent as it is meant is not sent",
        arguments: [
            HTTPRequest(url: "no url"), HTTPRequest(url: ""), HTTPRequest(url: "file:///etc/passwd"),
            HTTPRequest(url: "gopher://127.0.0.1/"),
            HTTPRequest(method: "GET /x HTTP/1.1\r\n", url: "http://127.0.0.1/"),
            HTTPRequest(method: "", url: "http://127.0.0.1/"),
            HTTPRequest(url: "http://127.0.0.1/", headers: ["X": "1\r\nY: 2"]),
            HTTPRequest(url: "http://127.0.0.1/", headers: ["X\nY": "1"]),
            HTTPRequest(url: "http://127.0.0.1/", headers: ["X": "1\u{0}"]),
        ])
    func malformed(request: HTTPRequest) async {
        #expect(await failure(request) == .malformedRequest)
    }

    @Test("Where nobody listens there is no connection, and the error says where without the query")
    func nobodyListens() async throws {
        do throws(HTTPClientError) {
            _ = try await HTTPClient().send(HTTPRequest(url: "http://127.0.0.1:1/path?secret=1"))
            Issue.record("somebody listens at port 1")
        } catch {
            #expect(error.kind == .cannotConnect)
            #expect(error.request == "GET http://127.0.0.1:1/path")
        }
    }
}
