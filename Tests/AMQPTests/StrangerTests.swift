import AMQP
import Messages
import Messaging
import TestSupport
import Testing

@Suite("What strangers put into their messages")
struct StrangerTests {
    /// Property flags (AMQP 0-9-1 § 4.2.6.1).
    private static let headers: UInt16 = 1 << 13
    private static let messageID: UInt16 = 1 << 7

    @Test("Tables and arrays nested through a whole frame are read, cut at the bound", arguments: [false, true])
    func nesting(arrays: Bool) async throws {
        // Each level: a name and type, or a type alone, and a length.
        var table: [UInt8] = []
        let overhead = arrays ? 5 : 6
        let levels = 130_000 / overhead
        for level in stride(from: levels, to: 0, by: -1) {
            table += arrays ? [UInt8(ascii: "A")] : [0, UInt8(ascii: "F")]
            table += RawPublisher.long((level - 1) * overhead)
        }
        let properties =
            arrays
            ? RawPublisher.long(table.count + 2) + RawPublisher.short("n") + table
            : RawPublisher.long(table.count) + table

        let envelope = try await delivered(flags: Self.headers, properties: properties)

        var depth = 1
        var value: HeaderValue? = envelope.properties.headers.entries.first?.value
        search: while true {
            switch value {
            case .table(let table): value = table.entries.first?.value
            case .array(let values): value = values.first
            default: break search
            }
            depth += 1
        }
        #expect(depth == 64)
        #expect(value == .text("nested deeper than 64 levels"))
    }

    @Test("An unsigned 64-bit number arrives as the signed one of the same bits: RabbitMQ knows no other")
    func unsigned() async throws {
        let field = RawPublisher.short("n") + [UInt8(ascii: "L")] + [UInt8](repeating: 0xFF, count: 8)

        let envelope = try await delivered(
            flags: Self.headers, properties: RawPublisher.long(field.count) + field)

        #expect(envelope.properties.headers["n"] == .int64(-1))
    }

    @Test("Properties that are no UTF-8 are read with U+FFFD in their place")
    func notUTF8() async throws {
        let envelope = try await delivered(flags: Self.messageID, properties: [3, 0x61, 0xFF, 0x62])

        #expect(envelope.properties.messageID == "a\u{FFFD}b")
    }

    @Test("A thousand headers without a name arrive in order")
    func nameless() async throws {
        let fields = (0..<1000).flatMap { [0, UInt8(ascii: "b"), UInt8(truncatingIfNeeded: $0)] }

        let envelope = try await delivered(
            flags: Self.headers, properties: RawPublisher.long(fields.count) + fields)

        let numbers = envelope.properties.headers.entries.map(\.value)
        #expect(numbers == (0..<1000).map { .int8(Int8(truncatingIfNeeded: $0)) })
    }

    /// Publishes by hand to an exclusive queue, and takes it from there.
    private func delivered(flags: UInt16, properties: [UInt8]) async throws -> Envelope {
        let node = try await BrokerProcess.shared
        let settings = try await node.virtualHost()
        return try await AMQPBroker.running(settings) { broker in
            let service = OneService()
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            try RawPublisher(settings).publish(to: service.queue, flags: flags, properties: properties)
            let delivery = try await session.take(1, from: service.queue)[0]
            await session.close()
            return delivery.envelope
        }
    }
}
