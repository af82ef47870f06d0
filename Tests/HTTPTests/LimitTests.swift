import HTTP
import HTTPClient
import ServiceKit
import TestSupport
import Testing

@Suite("What clients may send")
struct LimitTests {
    private static let configuration: HTTPServerConfiguration = {
        var configuration = HTTPServerConfiguration()
        configuration.bodyLimit = 1_000
        return configuration
    }()

    private static let router: Router = {
        var router = Router.simple
        router.post("/large", limits: RouteLimits(body: 500_000)) { request in .text("\(request.body.count)") }
        router.post("/none", limits: RouteLimits(body: 0)) { request in .text("\(request.body.count)") }
        return router
    }()

    @Test(
        "A body may be as long as the route lets it",
        arguments: [
            ("/echo", 1_000, 200), ("/echo", 1_001, 413), ("/large", 500_000, 200), ("/large", 500_001, 413),
            ("/none", 0, 200), ("/none", 1, 413), ("/unknown", 1_000, 404), ("/unknown", 1_001, 413),
        ])
    func bodyLimit(path: String, length: Int, status: Int) async throws {
        try await RunningServer.with(Self.router, Self.configuration) { server in
            let response = try await server.post(path, [UInt8](repeating: 7, count: length))
            let next = try await server.get("/ping")

            #expect(response.status == status)
            #expect(next.status == 200)
        }
    }

    @Test("Fields of a route are on all its answers, the refusals of the server too", arguments: [true, false])
    func routeFields(isChunked: Bool) async throws {
        var router = Router.simple
        router.post("/marked", limits: RouteLimits(body: 10, responseHeaders: ["X-Mark": "1"])) { _ in .text("x") }
        try await RunningServer.with(router, Self.configuration) { server in
            let good = try await server.post("/marked", [1])
            let tooLarge = try await server.post(
                "/marked", [UInt8](repeating: 7, count: 11), headers: isChunked ? ["Transfer-Encoding": "chunked"] : [:]
            )
            let elsewhere = try await server.get("/ping")

            #expect([good, tooLarge, elsewhere].map(\.status) == [200, 413, 200])
            #expect([good, tooLarge, elsewhere].map { $0.header("X-Mark") } == ["1", "1", nil])
        }
    }

    @Test(
        "A longer one is refused before a byte of it is read",
        arguments: ["1001", "9223372036854775807", "9223372036854775808", "99999999999999999999999999"])
    func refusedEarly(length: String) async throws {
        try await RunningServer.with(Self.router, Self.configuration) { server in
            let connection = try server.connect()

            await connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: \(length)\r\n\r\n")
            let response = await connection.receive()

            #expect(response.hasPrefix("HTTP/1.1 413 "))
            #expect(response.contains("Connection: close"))
        }
    }

    @Test("Whoever sends all of a longer one, and only then looks, reads why it was refused")
    func refusedInTheMiddle() async throws {
        try await RunningServer.with(Self.router, Self.configuration) { server in
            for _ in 0..<10 {
                let connection = try server.connect()

                await connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n")
                let isSent = await connection.send([UInt8](repeating: 7, count: 3_000_000))
                let response = await connection.receive()

                // A reset in between is an error to most clients, whatever came before it.
                #expect(isSent && response.hasPrefix("HTTP/1.1 413 ") && response.contains("body_too_large"))
            }
        }
    }

    @Test("A chunked body is read up to the limit, and cut when it passes it", arguments: [(1_000, 200), (1_001, 413)])
    func chunked(length: Int, status: Int) async throws {
        try await RunningServer.with(Self.router, Self.configuration) { server in
            let connection = try server.connect()
            let half = String(repeating: "x", count: length / 2)
            let rest = String(repeating: "y", count: length - length / 2)

            await connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            await connection.send("\(String(half.count, radix: 16))\r\n\(half)\r\n")
            await connection.send("\(String(rest.count, radix: 16));extension=1\r\n\(rest)\r\n0\r\nTrailer: 1\r\n\r\n")
            let response = status == 200 ? await connection.receiveResponse() : await connection.receive()

            #expect(response.hasPrefix("HTTP/1.1 \(status) "))
            #expect(response.hasSuffix(half + rest) == (status == 200))
            #expect(status == 200 || response.contains("body_too_large"))
        }
    }

    @Test("A client that asks first is told to go on, or not to bother")
    func expectContinue() async throws {
        try await RunningServer.with(Self.router, Self.configuration) { server in
            let polite = try server.connect()
            await polite.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(await polite.receive { $0.hasSuffix("\r\n\r\n") } == "HTTP/1.1 100 Continue\r\n\r\n")
            await polite.send("ok")
            #expect(await polite.receiveResponse().hasSuffix("\r\n\r\nok"))

            let greedy = try server.connect()
            await greedy.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
            #expect(await greedy.receive().hasPrefix("HTTP/1.1 413 "))
        }
    }

    @Test("All bodies together are bounded, and their memory is given back")
    func bodyMemory() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.bodyMemoryLimit = 100_000
        try await RunningServer.with(Self.router, configuration) { server in
            let first = try server.connect()
            await first.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n")
            await first.send([UInt8](repeating: 1, count: 59_999))
            let buffered = server.metrics.gauge("http_buffered_body_bytes", "")
            #expect(await eventually { buffered.value == 59_999 })

            let second = try await server.post("/echo", [UInt8](repeating: 2, count: 60_000))
            #expect(second.status == 503)
            #expect(second.header("retry-after") != nil)

            await first.send([1])
            #expect(await first.receiveResponse().hasPrefix("HTTP/1.1 200 "))
            #expect(try await server.post("/echo", [UInt8](repeating: 3, count: 90_000)).status == 200)
        }
    }

    @Test("However long the headers are, they are answered, with 200 up to the limit and 414 or 431 beyond")
    func headerSizes() async throws {
        try await RunningServer.with(.simple) { server in
            for size in stride(from: 100, through: 40_000, by: 331) {
                for target in [true, false] {
                    let connection = try server.connect()
                    let filler = String(repeating: "a", count: size)
                    await connection.send(
                        target
                            ? "GET /ping?\(filler) HTTP/1.1\r\nHost: x\r\n\r\n"
                            : "GET /ping HTTP/1.1\r\nHost: x\r\nX-Filler: \(filler)\r\n\r\n")
                    let response = await connection.receiveResponse()
                    let status = Int(response.dropFirst(9).prefix(3))

                    if size < 8_000 {
                        #expect(status == 200, "\(size) bytes")
                    } else {
                        #expect([414, 431].contains(status) || (size < 8_192 && status == 200), "\(size) bytes")
                    }
                }
            }
        }
    }

    @Test("What a route says of all its responses is in the refusals that come before it is known, too")
    func refusalsOfRoute() async throws {
        var router = Router.simple
        router.post("/open", limits: RouteLimits(responseHeaders: ["X-Open": "yes"])) { _ in .text("open") }
        try await RunningServer.with(router) { server in
            let filler = String(repeating: "a", count: 9_000)
            for (text, status) in [
                ("POST /open HTTP/1.1\r\nHost: x\r\nX-Filler: \(filler)\r\n\r\n", "431"),
                ("GET /open HTTP/1.1\r\nHost: x\r\nX-Filler: \(filler)\r\n\r\n", "431"),
                ("POST /open?\(filler) HTTP/1.1\r\nHost: x\r\n\r\n", "414"),
                ("POST /open?%zz HTTP/1.1\r\nHost: x\r\n\r\n", "400"),
                ("POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999999\r\n\r\n", "413"),
            ] {
                let connection = try server.connect()
                await connection.send(text)
                let response = await connection.receiveResponse()

                #expect(response.hasPrefix("HTTP/1.1 \(status) ") && response.contains("X-Open: yes"), "\(status)")
            }
        }
    }

    @Test(
        "A hundred headers and a hundred query items are taken, more are refused",
        arguments: [99, 100, 500, 1_000, 2_000, 5_000])
    func manyFields(count: Int) async throws {
        try await RunningServer.with(.simple) { server in
            for text in [
                "GET /ping HTTP/1.1\r\nHost: x\r\n" + String(repeating: "a:b\r\n", count: count - 1) + "\r\n",
                "GET /ping?a" + String(repeating: "&a", count: count - 1) + " HTTP/1.1\r\nHost: x\r\n\r\n",
            ] {
                let connection = try server.connect()
                await connection.send(text)
                let status = Int(await connection.receiveResponse().dropFirst(9).prefix(3))

                #expect(count <= 100 ? status == 200 : [414, 431].contains(status))
            }
            #expect(try await server.get("/ping").status == 200)
        }
    }

    @Test("More connections than allowed wait until others leave")
    func maxConnections() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxConnections = 4
        try await RunningServer.with(.simple, configuration) { server in
            var inside: [RawConnection] = []
            for _ in 0..<4 {
                let connection = try server.connect()
                await connection.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await connection.receiveResponse().hasSuffix("pong"))
                inside.append(connection)
            }
            let waiting = try server.connect()
            await waiting.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")

            inside.removeFirst()

            #expect(await waiting.receiveResponse().hasSuffix("pong"))
            #expect(inside.count == 3)
        }
    }

    @Test("More connections from one address than allowed are closed at once")
    func maxConnectionsPerAddress() async throws {
        var configuration = HTTPServerConfiguration()
        configuration.maxConnectionsPerAddress = 2
        try await RunningServer.with(.simple, configuration) { server in
            let inside = [try server.connect(), try server.connect()]
            for connection in inside {
                await connection.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(await connection.receiveResponse().hasSuffix("pong"))
            }

            let third = try server.connect()
            #expect(await third.receive() == "")
        }
    }
}
