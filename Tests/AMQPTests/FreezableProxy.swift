import Foundation
import Glibc

/// A way to a port of this machine that can be frozen: its connections stay, and nothing passes any more, as when a
/// cable is pulled.
final class FreezableProxy: Sendable {
    let port: UInt16
    private let listener: Int32
    private let gate = Gate()

    init(to target: UInt16) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 16) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard bound else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        let gate = gate
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { return }
                let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
                var address = Self.address(port: target)
                _ = withUnsafePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                    }
                }
                Thread.detachNewThread { Self.pass(from: client, to: server, gate) }
                Thread.detachNewThread { Self.pass(from: server, to: client, gate) }
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// From now on nothing passes.
    func freeze() { gate.close() }
    /// Everything passes again, what was held back first.
    func thaw() { gate.open() }

    private static func pass(from source: Int32, to target: Int32, _ gate: Gate) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(source, &buffer, buffer.count)
            gate.pass()
            var sent = 0
            while sent < count {
                let more = buffer.withUnsafeBytes {
                    send(target, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard more > 0 else { break }
                sent += more
            }
            if count <= 0 || sent < count {
                shutdown(source, Int32(SHUT_RDWR))
                shutdown(target, Int32(SHUT_RDWR))
                return
            }
        }
    }

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Lets threads through, or holds them.
// Sendable by hand: the flag is only used while the condition is locked.
private final class Gate: @unchecked Sendable {
    private let condition = NSCondition()
    private var isOpen = true

    func open() { change(true) }
    func close() { change(false) }

    private func change(_ isOpen: Bool) {
        condition.lock()
        self.isOpen = isOpen
        condition.broadcast()
        condition.unlock()
    }

    func pass() {
        condition.lock()
        while !isOpen { condition.wait() }
        condition.unlock()
    }
}
