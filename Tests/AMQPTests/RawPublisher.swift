import AMQP
import Glibc
import ServiceKit
import TestSupport

/// A client that speaks AMQP 0-9-1 by hand, to publish what a decent library refuses to.
struct RawPublisher: ~Copyable {
    private let descriptor: Int32

    /// Connects and opens channel 1.
    init(_ settings: BrokerSettings) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = settings.address.port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let descriptor = descriptor
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard connected else { throw TestFailure("no connection for the raw publisher") }
        send(Array("AMQP".utf8) + [0, 0, 9, 1])
        try expect(class: 10, method: 10)
        let login = [0] + Array(settings.address.user.utf8) + [0] + Array(settings.address.password.revealed.utf8)
        method(0, 10, 11, Self.long(0) + Self.short("PLAIN") + Self.long(login.count) + login + Self.short("en_US"))
        try expect(class: 10, method: 30)
        // No heartbeat, frames of 128 KiB.
        method(0, 10, 31, [0, 10] + Self.long(131_072) + [0, 0])
        method(0, 10, 40, Self.short(settings.address.virtualHost) + Self.short("") + [0])
        try expect(class: 10, method: 41)
        method(1, 20, 10, Self.short(""))
        try expect(class: 20, method: 11)
    }

    deinit { close(descriptor) }

    /// Publishes a message without body, with the property flags and properties as they are; returns once the broker
    /// has taken it.
    func publish(to queue: String, flags: UInt16, properties: [UInt8]) throws {
        method(1, 60, 40, [0, 0] + Self.short("") + Self.short(queue) + [0])
        frame(2, 1, [0, 60, 0, 0] + [UInt8](repeating: 0, count: 8) + Self.word(flags) + properties)
        // An orderly close comes after what was sent before it.
        method(1, 20, 40, [0, 200] + Self.short("") + [0, 0, 0, 0])
        try expect(class: 20, method: 41)
        method(1, 20, 10, Self.short(""))
        try expect(class: 20, method: 11)
    }

    static func short(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
    static func word(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
    static func long(_ number: Int) -> [UInt8] {
        [UInt8(number >> 24 & 0xFF), UInt8(number >> 16 & 0xFF), UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)]
    }

    private func method(_ channel: UInt8, _ classNumber: UInt8, _ method: UInt8, _ arguments: [UInt8]) {
        frame(1, channel, [0, classNumber, 0, method] + arguments)
    }

    private func frame(_ type: UInt8, _ channel: UInt8, _ payload: [UInt8]) {
        send([type, 0, channel] + Self.long(payload.count) + payload + [0xCE])
    }

    private func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard sent > 0 else { return }
            rest = rest.dropFirst(sent)
        }
    }

    private func expect(class classNumber: UInt8, method: UInt8) throws {
        let header = try read(7)
        let size = Int(header[3]) << 24 | Int(header[4]) << 16 | Int(header[5]) << 8 | Int(header[6])
        let payload = try read(size + 1)
        guard header[0] == 1, payload[1] == classNumber, payload[3] == method else {
            throw TestFailure(
                "expected \(classNumber).\(method), the broker said \(String(decoding: payload, as: UTF8.self))")
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let more = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + filled }, count - filled)
            }
            guard more > 0 else { throw TestFailure("the broker closed on the raw publisher") }
            filled += more
        }
        return bytes
    }
}
