import HTTP
import HTTPClient
import ServiceKit
import TestSupport
import Testing

@Suite("Hostile and clumsy clients")
struct HostileClientTests {
    private static let impatient: HTTPServerConfiguration = {
        var configuration = HTTPServerConfiguration()
        configuration.transferTimeout = .milliseconds(200)
        return configuration
    }()

    @Test(
        "A request that two readers could frame differently is refused, and its connection closed",
        arguments: [
            "Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4",
            "Content-Length: 4\r\nContent-Length: 4", "Content-Length: 4\r\nContent-Length: 5",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: identity", "Transfer-Encoding : chunked", "Content-Length : 4", "Content-Length: +4",
            "Content-Length: -4", "Content-Length: 4, 4", "Content-Length: 0x4", "Content-Length:", "X Y: 1",
            "Host: y", "X\u{1}: 1", ": 1", "no colon", "X: a\0b", "\0X: 1", "\0", "X\0: 1", "X: 1\nY: 2",
            "X: 1\r\n folded", ":", "::", "X:\n", "X: \0",
        ])
    func framing(headers: String) async throws {
        try await RunningServer.with(.simple) { server in
            let connection = try server.connect()

            await connection.send(
                "POST /echo HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\r\n0\r\n\r\nGET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            let all = await connection.receive()

            #expect(all.hasPrefix("HTTP/1.1 400 "))
            #expect(!all.contains("pong"))
        }
    }

    @Test("HTTP/1.1 needs a Host, HTTP/1.0 does not, and may not be chunked")
    func versions() async throws {
        try await RunningServer.with(.simple) { server in
            for (text, status) in [
                ("GET /ping HTTP/1.1\r\n\r\n", "400"), ("GET /ping HTTP/1.0\r\n\r\n", "200"),
                ("POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
            ] {
                let connection = try server.connect()
                await connection.send(text)
                #expect(await connection.receiveResponse().dropFirst(9).hasPrefix(status))
            }
        }
    }

    @Test(
        "A malformed target is 400",
        arguments: ["/ping\0", "/ping\0?x", "/\0/ping", "/%", "/%0", "/%00", "/pi ng", "ping", "//%zz", "/?%", "*"])
    func target(target: String) async throws {
        try await RunningServer.with(.simple) { server in
            let connection = try server.connect()
            await connection.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
            let response = await connection.receiveResponse()

            #expect(response.hasPrefix("HTTP/1.1 400 ") || target == "*" && response.hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test("A client that ends its side after the request still gets its answer")
    func halfClosed() async throws {
        let gate = Gate()
        var router = Router.simple
        router.get("/wait") { _ in
            await gate.wait()
            return .text("waited")
        }
        try await RunningServer.with(router) { server in
            let connection = try server.connect()
            await connection.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            connection.endSending()
            gate.open()

            #expect(await connection.receive().hasSuffix("waited"))
        }
    }

    @Test("A client that trickles its headers or its body is cut off, however busy it is", arguments: [false, true])
    func trickle(inBody: Bool) async throws {
        try await RunningServer.with(.simple, Self.impatient) { server in
            let connection = try server.connect()
            await connection.send("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\(inBody ? "\r\n" : "")")
            async let end = connection.receive()

            // Ends when the server has cut the connection: then a send fails.
            let trickling = try server.connect()
            await trickling.send("GET /ping HTTP/1.1\r\nHost: x\r\n")
            while await trickling.send("a: b\r\n") { await Task.yield() }

            #expect(await end == "")
            #expect(try await server.get("/ping").status == 200)
        }
    }

    @Test("A client that does not take its answer is cut off")
    func neverReads() async throws {
        var router = Router.simple
        router.get("/huge") { _ in Response(body: [UInt8](repeating: 1, count: 64 << 20)) }
        var configuration = Self.impatient
        configuration.gracePeriod = .seconds(60)
        try await RunningServer.with(router, configuration) { server in
            let connection = try server.connect()
            await connection.send("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n")
            // One of ours stays, over which this asks.
            let open = server.metrics.gauge("http_connections", "")
            #expect(try await eventually { try await server.get("/ping").status == 200 && open.value == 1 })
        }
    }

    @Test("A client that leaves before the answer harms nobody")
    func leavesEarly() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        var router = Router.simple
        router.get("/wait") { _ in
            arrived.yield()
            await gate.wait()
            return .text("nobody reads this")
        }
        try await RunningServer.with(router) { server in
            var connection: RawConnection? = try server.connect()
            await connection?.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
            var iterator = arrivals.makeAsyncIterator()
            await iterator.next()
            connection?.abort()
            connection = nil
            gate.open()

            #expect(try await server.get("/ping").text == "pong")
        }
    }

    @Test("Random bytes never stop it")
    func randomBytes() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed: seed)
        let valid = Array(
            ("POST /echo?a=%20 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nX-Y: z\r\n\r\n"
                + "5\r\nhello\r\n0\r\n\r\nGET /ping HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc").utf8)
        var inputs: [[UInt8]] = []
        for _ in 0..<400 {
            var bytes = valid
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: index)
                case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
                default:
                    bytes.replaceSubrange(index..<index, with: bytes.prefix(Int.random(in: 0...40, using: &generator)))
                }
            }
            inputs.append(bytes)
        }
        // Impatient, because the library overlooks a client's end in the middle of a chunk.
        try await RunningServer.with(.simple, Self.impatient) { [inputs] server in
            for bytes in inputs {
                let connection = try server.connect()
                await connection.send(bytes)
                connection.endSending()
                _ = await connection.receive()
            }

            #expect(try await server.get("/ping").text == "pong", "seed \(seed)")
        }
    }
}
