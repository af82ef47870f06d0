import Foundation
import HTTP
import HTTPClient
import ServiceKit
import Testing

@Suite("The server")
struct ServerTests {
    @Test("Answers what its handlers answer, and keeps the connection")
    func answers() async throws {
        try await RunningServer.with(.simple) { server in
            let response = try await server.get("/ping")

            #expect(response.status == 200)
            #expect(response.text == "pong")
            #expect(response.header("content-type") == "text/plain; charset=utf-8")
            #expect(response.header("cache-control") == "no-store")
            #expect(response.header("connection") == nil)
            let connection = try server.connect()
            for _ in 0..<3 {
                await connection.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await connection.receiveResponse().hasSuffix("\r\n\r\npong"))
            }
        }
    }

    @Test("Gives a handler everything that the client sent")
    func request() async throws {
        var router = Router()
        router.on(.patch, "/a/{id}/b") { request in
            let seen = [
                request.method.rawValue, request.path, request.segments.joined(separator: ","), request.route ?? "",
                try request.parameter("id"), request.query("q") ?? "", request.headers["X-ONE"] ?? "",
                "\(request.headers.all("x-many"))", String(decoding: request.body, as: UTF8.self), request.peer.host,
                "\(request.peer.port > 0)", "\(request.deadline > .now)",
            ]
            return .text(seen.joined(separator: " "))
        }
        try await RunningServer.with(router) { server in
            let connection = try server.connect()

            await connection.send(
                "PATCH /a/x%2Fy/b?q=%20 HTTP/1.1\r\nHost: h\r\nx-one:   1 \t\r\nX-Many: a\r\nX-Many: b\r\n"
                    + "Content-Length: 4\r\n\r\nbody")

            #expect(
                await connection.receiveResponse().hasSuffix(
                    "\r\n\r\nPATCH /a/x%2Fy/b a,x/y,b /a/{id}/b x/y   1 [\"a\", \"b\"] body 127.0.0.1 true true"))
        }
    }

    @Test("A handler works in the trace that the client names, or in one of its own")
    func trace() async throws {
        var router = Router()
        router.get("/trace") { _ in .text(TraceContext.current?.traceID ?? "") }
        try await RunningServer.with(router) { server in
            let id = "0af7651916cd43dd8448eb211c80319c"
            let named = try await server.get("/trace", headers: ["traceparent": "00-\(id)-b7ad6b7169203331-01"])
            let own = try await server.get("/trace", headers: ["traceparent": "nonsense"])

            #expect(named.text == id)
            #expect(own.text.count == 32)
        }
    }

    @Test("HEAD has the length of the body without the body; 204 has neither")
    func withoutBody() async throws {
        var router = Router.simple
        router.get("/none") { _ in Response(status: .noContent, body: [1, 2, 3]) }
        try await RunningServer.with(router) { server in
            let connection = try server.connect()

            await connection.send("HEAD /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            let head = await connection.receive { $0.hasSuffix("\r\n\r\n") }
            await connection.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
            let none = await connection.receive { $0.hasSuffix("\r\n\r\n") }

            #expect(head.hasPrefix("HTTP/1.1 200 ") && head.contains("Content-Length: 4\r\n"))
            #expect(none.hasPrefix("HTTP/1.1 204 ") && !none.contains("Content-Length"))
        }
    }

    @Test("A header that would split the response is left out")
    func splitting() async throws {
        var router = Router()
        router.get("/x") { _ in Response(headers: ["X-Good": "1", "X-Bad": "1\r\nSet-Cookie: a=b", "X\nBad": "2"]) }
        try await RunningServer.with(router) { server in
            let response = try await server.get("/x")

            #expect(response.header("x-good") == "1")
            #expect(response.header("x-bad") == nil)
            #expect(response.header("set-cookie") == nil)
        }
    }

    @Test("A status that is none becomes 500", arguments: [0, -1, 100, 199, 1000, 70_000])
    func wrongStatus(status: Int) async throws {
        var router = Router()
        router.get("/x") { _ in .empty(HTTPStatus(rawValue: status)) }
        try await RunningServer.with(router) { server in
            let response = try await server.get("/x")

            #expect(response.status == 500)
        }
    }

    @Test("Two requests in one packet are answered in their order")
    func pipelining() async throws {
        try await RunningServer.with(.simple) { server in
            let connection = try server.connect()

            await connection.send(
                "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nfirst"
                    + "GET /ping HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            let both = await connection.receive()

            #expect(both.components(separatedBy: "HTTP/1.1 200").count == 3)
            #expect(both.contains("\r\n\r\nfirstHTTP/1.1 200"))
            #expect(both.hasSuffix("\r\n\r\npong"))
        }
    }

    @Test("64 clients at once are all answered with their own bytes")
    func manyAtOnce() async throws {
        try await RunningServer.with(.simple) { server in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        for round in 0..<20 {
                            let body = [UInt8](repeating: UInt8(number), count: 1 + round * 700)
                            guard try await server.post("/echo", body).body == body else { return false }
                        }
                        return true
                    }
                }
                for try await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("Listens at the port that it says, and tells when it cannot")
    func ports() async throws {
        try await RunningServer.with(.simple) { server in
            #expect(server.port > 0)
            let taken = HTTPServerConfiguration(port: server.port)
            #expect(throws: HTTPServerError.self) {
                try HTTPServer(taken, router: .simple, logger: Logger(service: "test") { _ in })
            }
            #expect(throws: HTTPServerError.self) {
                try HTTPServer(
                    HTTPServerConfiguration(address: "localhost!"), router: .simple,
                    logger: Logger(service: "test") { _ in })
            }
        }
    }

    @Test("An IPv4 client of an IPv6 socket is known by its IPv4 address")
    func bothFamilies() async throws {
        var router = Router()
        router.get("/peer") { request in .text(request.peer.host) }
        try await RunningServer.with(router, HTTPServerConfiguration(address: "::")) { server in
            let response = try await server.get("/peer")

            #expect(response.text == "127.0.0.1")
        }
    }

    @Test("Counts what it answers by route")
    func metrics() async throws {
        try await RunningServer.with(.simple) { server in
            _ = try await server.get("/ping")
            _ = try await server.get("/nothing-\(server.port)")
            let text = server.metrics.render()

            #expect(text.contains(#"http_responses_total{route="/ping",status="2xx"} 1"#))
            #expect(text.contains(#"http_responses_total{route="none",status="4xx"} 1"#))
            #expect(text.contains(#"http_handling_seconds_count{route="/ping"} 1"#))
            #expect(!text.contains("nothing"))
        }
    }
}
