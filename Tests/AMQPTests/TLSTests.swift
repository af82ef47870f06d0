import AMQP
import Foundation
import Messages
import Messaging
import TestSupport
import Testing

@Suite("RabbitMQ over TLS", .serialized)
struct TLSTests {
    private struct Secured: Sendable {
        let node: BrokerProcess
        var certificates: TestCertificates { TestCertificates(folder: node.folder.appendingPathComponent("tls")) }
    }
    private static let secured = Task {
        let node = try await BrokerProcess.start(
            certificates: { try await TestCertificates(folder: $0).make() },
            lines: ["ssl_options.fail_if_no_peer_cert = true"])
        return Secured(node: node)
    }

    let service = OneService()

    @Test("It keeps the promises of a broker", arguments: MessagingConformance.cases)
    func conformance(promise: MessagingConformance.Case) async throws {
        try await AMQPBroker.running(try await settings()) { broker in
            try await promise.run(on: broker)
        }
    }

    @Test("Large messages and many callers pass the same way")
    func load() async throws {
        try await AMQPBroker.running(try await settings()) { broker in
            let session = try await broker.openSession(named: "test")
            try await session.declare(service.topology)
            let confirmed = await withTaskGroup(of: Bool.self) { group in
                for caller in 0..<500 {
                    group.addTask {
                        let body = [UInt8](repeating: UInt8(caller & 0xFF), count: caller * 500)
                        return await broker.publisher.publish(service.command(body)) == .confirmed
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(confirmed == 500)

            let taken = try await session.take(500, from: service.queue)
            #expect(taken.map(\.envelope.body.count).sorted() == (0..<500).map { $0 * 500 })
            #expect(
                taken.allSatisfy { delivery in
                    let body = delivery.envelope.body
                    return body.allSatisfy { $0 == UInt8(truncatingIfNeeded: body.count / 500) }
                })
            await session.close()
        }
    }

    @Test("A broker that our authority does not vouch for is refused, and the file is named")
    func wrongAuthority() async throws {
        var settings = try await settings()
        settings.tls.authority = try await Self.secured.value.certificates.path("other")

        let error = try await refusal(settings)

        #expect(error.contains("other.pem") && error.contains("vouched"), "\(error)")
    }

    @Test("A broker under another name is refused")
    func wrongName() async throws {
        var settings = try await settings()
        settings.address.host = "127.0.0.1"

        let error = try await refusal(settings)

        #expect(error.contains("hostname"), "\(error)")
    }

    @Test("Where the broker asks for our certificate, none is not enough")
    func withoutCertificate() async throws {
        var settings = try await settings()
        settings.tls.certificate = nil
        settings.tls.key = nil

        _ = try await refusal(settings)
    }

    @Test("A file that is not there is named")
    func missingFile() async throws {
        var settings = try await settings()
        settings.tls.authority = "/nowhere/ca.pem"
        #expect(try await refusal(settings).contains("/nowhere/ca.pem"))

        settings = try await self.settings()
        settings.tls.key = "/nowhere/key.pem"
        #expect(try await refusal(settings).contains("/nowhere/key.pem"))
    }

    @Test("Speaking TLS to a port without it fails in time")
    func noTLS() async throws {
        let secured = try await Self.secured.value
        var settings = try await settings()
        settings.address.port = secured.node.settings.address.port

        _ = try await refusal(settings)
    }

    private func refusal(_ settings: BrokerSettings) async throws -> String {
        let broker = AMQPBroker(settings, name: "test", logger: LogLines().logger)
        let error = await #expect(throws: BrokerError.self) { _ = try await broker.openSession(named: "test") }
        guard case .disconnected(let text) = error else {
            throw TestFailure("\(String(describing: error))")
        }
        return text
    }

    private func settings() async throws -> BrokerSettings {
        let secured = try await Self.secured.value
        var settings = try await secured.node.virtualHost()
        let virtualHost = settings.address.virtualHost
        settings.address = try #require(secured.node.secureAddress)
        settings.address.virtualHost = virtualHost
        settings.tls = TLSFiles(
            authority: secured.certificates.path("ca"), certificate: secured.certificates.path("client"),
            key: secured.certificates.path("client-key"))
        return settings
    }
}
