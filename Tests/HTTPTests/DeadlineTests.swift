import HTTP
import HTTPClient
import ServiceKit
import Synchronization
import Testing

@Suite("Deadlines and stopping")
struct DeadlineTests {
    @Test("A handler that misses its deadline is answered for, is cancelled, and its late answer is dropped")
    func lateAnswer() async throws {
        let (cancelled, gate) = (Gate(), Gate())
        let (lates, late) = AsyncStream.makeStream(of: Void.self)
        var router = Router.simple
        router.get("/late", limits: RouteLimits(deadline: .milliseconds(50))) { _ in
            defer { late.yield() }
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                cancelled.open()
            }
            return .text("too late")
        }
        try await RunningServer.with(router) { server in
            let connection = try server.connect()
            await connection.send("GET /late HTTP/1.1\r\nHost: x\r\n\r\n")

            let first = await connection.receiveResponse()
            await cancelled.wait()
            gate.open()
            var iterator = lates.makeAsyncIterator()
            await iterator.next()
            await connection.send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            let second = await connection.receiveResponse()

            #expect(first.hasPrefix("HTTP/1.1 503 "))
            #expect(first.contains("Retry-After: 1\r\n"))
            #expect(first.contains("deadline_exceeded"))
            #expect(second.hasSuffix("pong"))
            #expect(!second.contains("too late"))
        }
    }

    @Test("A handler that does not return holds up nobody, and not the stop; when it does at last, nothing happens")
    func doesNotReturn() async throws {
        let (gate, returned) = (Gate(), Gate())
        var router = Router.simple
        router.get("/stuck", limits: RouteLimits(deadline: .seconds(3600))) { _ in
            defer { returned.open() }
            await gate.wait()
            return .empty()
        }
        var configuration = HTTPServerConfiguration()
        configuration.gracePeriod = .milliseconds(20)
        let connection = try await RunningServer.with(router, configuration) { server in
            let connection = try server.connect()
            await connection.send("GET /stuck HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in 0..<10 { #expect(try await server.get("/ping").text == "pong") }
            return connection
        }

        let answer = await connection.receive()
        gate.open()
        await returned.wait()

        #expect(answer.hasPrefix("HTTP/1.1 503 "))
        #expect(answer.contains("Connection: close"))
    }

    @Test("A stop lets finish what is under way, takes nothing new, and is not felt by the handler")
    func gracefulStop() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let gate = Gate()
        var router = Router()
        router.get("/wait") { _ in
            arrived.yield()
            await gate.wait()
            return .text("cancelled: \(Task.isCancelled)")
        }
        let server = try HTTPServer(router: router, logger: Logger(service: "test") { _ in })
        let running = Task { try await server.run() }
        let connection = try RawConnection(port: server.port)
        await connection.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
        var iterator = arrivals.makeAsyncIterator()
        await iterator.next()

        running.cancel()
        while (try? RawConnection(port: server.port)) != nil { await Task.yield() }
        gate.open()
        let answer = await connection.receive()
        try await running.value

        #expect(answer.hasSuffix("cancelled: false"))
        #expect(answer.contains("Connection: close"))
    }

    @Test("A server stops at once when it has nothing to do, whatever connections are open")
    func idleStop() async throws {
        let connections = try await RunningServer.with(.simple) { server in
            let connections = [try server.connect(), try server.connect()]
            await connections[0].send("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(await connections[0].receiveResponse().hasSuffix("pong"))
            return connections
        }

        for connection in connections { #expect(await connection.receive() == "") }
    }

    @Test("A server that is stopped while many requests come answers or closes, and never crashes")
    func stopUnderLoad() async throws {
        for round in 0..<10 {
            var router = Router.simple
            router.get("/slow") { _ in
                for _ in 0..<round * 20 { await Task.yield() }
                return .empty()
            }
            let server = try HTTPServer(router: router, logger: Logger(service: "test") { _ in })
            let running = Task { try await server.run() }
            let client = HTTPClient()
            let answered = Tally()
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<32 {
                    group.addTask { [port = server.port] in
                        let path = number.isMultiple(of: 2) ? "ping" : "slow"
                        let request = HTTPRequest(url: "http://127.0.0.1:\(port)/\(path)")
                        while let response = try? await client.send(request) {
                            #expect([200, 204, 503].contains(response.status))
                            if answered.next() == 200 { running.cancel() }
                        }
                    }
                }
            }
            try await running.value
        }
    }

    @Test("A server runs once")
    func runsOnce() async throws {
        let server = try HTTPServer(router: .simple, logger: Logger(service: "test") { _ in })
        let running = Task { try await server.run() }
        running.cancel()
        try await running.value

        await #expect(throws: HTTPServerError.self) { try await server.run() }
    }
}

private final class Tally: Sendable {
    private let count = Atomic(0)

    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
