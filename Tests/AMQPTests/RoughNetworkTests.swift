import AMQP
import Foundation
import Messages
import Messaging
import Synchronization
import TestSupport
import Testing

@Suite("A rough network", .serialized, .timeLimit(.minutes(2)))
struct RoughNetworkTests {
    static let text = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 251) }

    @Test("Torn into pieces and delayed, everything passes, in its order")
    func torn() throws {
        let echo = try Echo()
        let network = try RoughNetwork(
            to: echo.port, .init(delay: .microseconds(10) ... .microseconds(500), pieces: 1...97), seed: 1)
        let line = try Line(to: network.port)

        line.send(Self.text)
        line.end()

        #expect(line.readAll() == Self.text)
        #expect(network.deeds == RoughNetwork.Deeds(connections: 1))
    }

    @Test(
        "Cut after so many bytes, the connection is reset, and what came before has passed whole", arguments: [1, 2, 3])
    func cut(seed: UInt64) throws {
        let echo = try Echo()
        let network = try RoughNetwork(to: echo.port, .init(cutAfter: 5_000...5_000), seed: seed)
        let line = try Line(to: network.port)

        line.send(Self.text)
        let answer = line.readAll()

        #expect(answer.count <= 5_000)
        #expect(answer == Array(Self.text.prefix(answer.count)))
        #expect(network.deeds.cuts >= 1)
    }

    @Test("The same seed cuts at the same place, another one elsewhere")
    func seeds() throws {
        func passed(_ seed: UInt64) throws -> Int {
            let sink = try Echo(answering: false)
            let network = try RoughNetwork(to: sink.port, .init(cutAfter: 1...15_000), seed: seed)
            let line = try Line(to: network.port)
            line.send(Self.text)
            _ = line.readAll()
            return sink.received()
        }

        let first = try passed(5)
        #expect(try passed(5) == first)
        #expect(try passed(6) != first)
    }

    @Test("Half closed, the other direction goes on")
    func halfClosed() throws {
        let echo = try Echo()
        let network = try RoughNetwork(to: echo.port, .init(halfCloseAfter: 3_000...3_000), seed: 2)
        let line = try Line(to: network.port)

        line.send(Self.text)

        #expect(line.readAll() == Array(Self.text.prefix(3_000)))
        #expect(network.deeds.halfCloses == 1)
    }

    @Test("Silent, nothing passes and nobody is told; then all of it does")
    func silent() throws {
        let echo = try Echo()
        let network = try RoughNetwork(to: echo.port, seed: 3)
        let line = try Line(to: network.port)
        line.send([1])
        #expect(line.read(1) == [1])

        network.fallSilent()
        line.send([2, 3])
        #expect(!line.hasSomething(within: .milliseconds(100)))
        network.speakAgain()

        #expect(line.read(2) == [2, 3])
    }

    @Test("Whoever publishes through it has what was confirmed in the queue, however often it cuts")
    func publishing() async throws {
        let node = try await BrokerProcess.shared.virtualHost()
        let service = ServiceName(rawValue: "rough")
        let network = try RoughNetwork(
            to: Int(node.address.port),
            .init(delay: .microseconds(1) ... .microseconds(200), pieces: 1...400, cutAfter: 20_000...60_000), seed: 4)
        try await AMQPBroker.running(node) { direct in
            let session = try await direct.openSession(named: "test")
            try await session.declare(Topology(Topology.Layout(), services: [service]))
            var rough = node
            rough.address.port = UInt16(network.port)
            let confirmed = try await AMQPBroker.running(rough) { broker in
                var confirmed: Set<String> = []
                for number in 0..<200 {
                    let id = MessageID(rawValue: "message-\(number)")
                    let envelope = Envelope(kind: "rough.v1", id: id, body: [UInt8](repeating: 0x20, count: 1_000))
                    let publication = Publication(
                        envelope, to: .command(service, Bucket.all[0]), isMandatory: true)
                    let outcome = await broker.publisher.publish(publication, deadline: .now + .seconds(2))
                    if outcome == .confirmed { confirmed.insert(id.rawValue) }
                }
                return confirmed
            }
            network.stop()

            let queue = try await session.subscribe(to: "\(service).0", prefetch: 1_000)
            var arrived: Set<String> = []
            while !arrived.isSuperset(of: confirmed), let batch = try await queue.next(upTo: 256, bytes: 8 << 20) {
                await queue.settle(batch, .acknowledge)
                arrived.formUnion(batch.compactMap { $0.envelope.id?.rawValue })
            }
            #expect(confirmed.count >= 20)
            #expect(arrived.isSuperset(of: confirmed))
            #expect(network.deeds.cuts >= 2)
            await session.close()
        }
    }
}

/// A socket that is spoken to step by step.
private final class Line {
    private let descriptor: Int32

    init(to port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Echo.loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw TestFailure("no connection") }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    func end() { shutdown(descriptor, Int32(SHUT_WR)) }

    func read(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            var buffer = [UInt8](repeating: 0, count: min(65_536, count - all.count))
            let got = Foundation.read(descriptor, &buffer, buffer.count)
            guard got > 0 else { break }
            all += buffer[..<got]
        }
        return all
    }

    func readAll() -> [UInt8] { read(.max) }

    func hasSomething(within limit: Duration) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, Int32(limit / .milliseconds(1))) > 0
    }
}

/// Takes one connection after the other and says back what it hears.
private final class Echo: Sendable {
    let port: Int
    private let listener: Int32
    private let count = Mutex(0)
    private let ended = DispatchSemaphore(value: 0)

    init(answering: Bool = true) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = Self.loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &size) == 0
            }
        }
        guard isBound else { throw TestFailure("no port") }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in
            while case let peer = accept(listener, nil, nil), peer >= 0 {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while case let got = Foundation.read(peer, &buffer, buffer.count), got > 0 {
                    count.withLock { $0 += got }
                    if answering { _ = Foundation.send(peer, buffer, got, Int32(MSG_NOSIGNAL)) }
                }
                close(peer)
                ended.signal()
            }
            close(listener)
        }.start()
    }

    /// How many bytes came, once the connection has ended.
    func received() -> Int {
        ended.wait()
        return count.withLock { $0 }
    }

    static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
