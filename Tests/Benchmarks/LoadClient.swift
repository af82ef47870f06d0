import Foundation
import Glibc
import TestSupport

/// Sends HTTP requests over kept connections, one under way on each, from a single thread.
///
/// On two cores, what a client takes is missing to what is measured, and a general one takes an eighth of what a request
/// costs altogether. This one looks at the status, the length and one text that has to be in the answer.
struct LoadClient: Sendable {
    private let port: Int
    /// What every answer has in it: one without it would be a fast one.
    private let expected: [UInt8]

    init(port: Int, expected: String) {
        self.port = port
        self.expected = Array(expected.utf8)
    }

    /// A request of the SDK's.
    static func post(_ route: String, _ body: String) -> String {
        "POST /api/sdk/v1/\(route) HTTP/1.1\r\nHost: edge\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Sends `count` requests, at most `width` of them under way at any time.
    ///
    /// - Parameters:
    ///   - rate: how many become due in a second; nil: each as soon as a connection is free.
    ///   - request: the whole of it, by its number.
    /// - Returns: how long after it was due each was answered, so that a stall counts for all that had to wait.
    @discardableResult
    func send(
        _ count: Int, width: Int = 64, rate: Double? = nil, _ request: @escaping @Sendable (Int) -> String
    ) async throws -> [Duration] {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<[Duration], any Error>) in
            Thread.detachNewThread {
                done.resume(with: Result { try sendAll(count, width, rate, request) })
            }
        }
    }

    private func sendAll(
        _ count: Int, _ width: Int, _ rate: Double?, _ request: (Int) -> String
    ) throws -> [Duration] {
        var connections = try (0..<min(width, count)).map { _ in try Connection(port: port) }
        defer { for connection in connections { close(connection.descriptor) } }
        var descriptors = connections.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
        var idle = Array(connections.indices)
        var (next, latencies) = (0, [Duration]())
        let start = ContinuousClock.now
        var due = [ContinuousClock.Instant](repeating: start, count: connections.count)
        while latencies.count < count {
            while next < count, let index = idle.last {
                let intended = rate.map { start + .seconds(Double(next) / $0) } ?? .now
                guard intended <= .now else { break }
                idle.removeLast()
                due[index] = intended
                try connections[index].send(request(next))
                next += 1
            }
            // By the millisecond: what becomes due meanwhile is sent in one go, and its time has begun when it was due.
            let isAhead = next < count && !idle.isEmpty
            let ready = poll(&descriptors, nfds_t(descriptors.count), isAhead ? 1 : 10_000)
            guard ready > 0 || isAhead else { throw TestFailure("no answer in 10 s") }
            for index in descriptors.indices where descriptors[index].revents != 0 {
                guard try connections[index].receive(expecting: expected) else { continue }
                latencies.append(.now - due[index])
                idle.append(index)
            }
        }
        return latencies
    }
}

private struct Connection {
    let descriptor: Int32
    private var received: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001 as UInt32).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw TestFailure("no connection to port \(port): error \(errno)") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    mutating func send(_ request: String) throws {
        var request = request
        let sent = request.withUTF8 { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent == request.utf8.count else { throw TestFailure("not sent: error \(errno)") }
    }

    /// Whether the answer is whole.
    mutating func receive(expecting text: [UInt8]) throws -> Bool {
        let start = received.count
        let room = 16 << 10
        received.append(contentsOf: repeatElement(0, count: room))
        let count = received.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress?.advanced(by: start), room, 0) }
        guard count > 0 else { throw TestFailure("the connection has ended") }
        received.removeLast(room - count)
        guard let body = end(of: Self.headersEnd), let length = end(of: Self.lengthBegins) else { return false }
        let digits = received[length...].prefix { (0x30...0x39).contains($0) }
        guard received.count >= digits.reduce(0, { $0 * 10 + Int($1 & 15) }) + body else { return false }
        guard received.starts(with: "HTTP/1.1 200".utf8), end(of: text) != nil else {
            throw TestFailure(String(decoding: received, as: UTF8.self))
        }
        received.removeAll(keepingCapacity: true)
        return true
    }

    private static let headersEnd = Array("\r\n\r\n".utf8)
    private static let lengthBegins = Array("Content-Length: ".utf8)

    /// Where a text that has been received ends.
    private func end(of text: [UInt8]) -> Int? {
        received.withUnsafeBytes { bytes in
            var start = 0
            while start + text.count <= bytes.count {
                if bytes[start] == text[0], bytes[start..<start + text.count].elementsEqual(text) {
                    return start + text.count
                }
                start += 1
            }
            return nil
        }
    }
}
