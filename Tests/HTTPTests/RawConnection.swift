import Foundation
import Glibc
import ServiceKit

/// A client that says exactly what it is told to, for what no well-behaved client would. Its calls block a thread of
/// its own, so that they do not take the test's threads from the server.
final class RawConnection: Sendable {
    struct Failure: Error { let operation: String }

    private let descriptor: Int32
    private let thread = BlockingExecutor(label: "raw-connection")

    init(port: UInt16) throws {
        let found = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard found >= 0 else { throw Failure(operation: "socket") }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // Nothing here should take long; a test that waits for ever says nothing.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(found, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(found, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(found, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            Glibc.close(found)
            throw Failure(operation: "connect")
        }
        descriptor = found
    }

    deinit { Glibc.close(descriptor) }

    /// Whether all of it went out.
    @discardableResult
    func send(_ text: String) async -> Bool { await send(Array(text.utf8)) }

    @discardableResult
    func send(_ bytes: [UInt8]) async -> Bool {
        await onThread { Glibc.send(self.descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count }
    }

    /// What comes until `isEnough`, the end of the connection, or twenty seconds of silence.
    func receive(until isEnough: @escaping @Sendable (String) -> Bool = { _ in false }) async -> String {
        await onThread {
            var all: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 65_536)
            while !isEnough(String(decoding: all, as: UTF8.self)) {
                let count = recv(self.descriptor, &piece, piece.count, 0)
                guard count > 0 else { break }
                all += piece.prefix(count)
            }
            return String(decoding: all, as: UTF8.self)
        }
    }

    /// One response whose length its `Content-Length` says.
    func receiveResponse() async -> String {
        await receive { text in
            guard let end = text.range(of: "\r\n\r\n") else { return false }
            let length = text[..<end.lowerBound].split(separator: "\r\n").compactMap { line -> Int? in
                guard line.lowercased().hasPrefix("content-length:") else { return nil }
                return Int(line.split(separator: ":")[1].trimmingCharacters(in: .whitespaces))
            }
            return text[end.upperBound...].utf8.count >= (length.first ?? 0)
        }
    }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Goes away without a farewell: the server's next packet is answered with a reset.
    func abort() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func onThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            thread.run { continuation.resume(returning: work()) }
        }
    }
}
