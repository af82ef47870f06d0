import Foundation
import HTTPClient
import TestSupport
import Testing

/// Against `openssl s_server`, because our own server leaves TLS to what stands before it.
@Suite("Trust", .enabled(if: FileManager.default.isExecutableFile(atPath: TLSPeer.openssl)))
struct TLSTests {
    @Test("A server is believed if its certificate is by an authority that we were told of, and for its name")
    func authority() async throws {
        try await TLSPeer.with { peer in
            var trusting = HTTPClientConfiguration()
            trusting.authorityFile = peer.certificateFile

            let response = try await HTTPClient(trusting).send(HTTPRequest(url: "https://localhost:\(peer.port)/"))
            #expect(response.status == 200)

            #expect(await failure("https://localhost:\(peer.port)/", HTTPClientConfiguration()) == .untrusted)
            #expect(await failure("https://127.0.0.1:\(peer.port)/", trusting) == .untrusted)
            var missing = trusting
            missing.authorityFile = peer.certificateFile + ".missing"
            #expect(await failure("https://localhost:\(peer.port)/", missing) == .untrusted)
        }
    }

    @Test("A server that asks who we are gets our certificate")
    func clientCertificate() async throws {
        try await TLSPeer.with(arguments: ["-Verify", "1", "-verify_return_error"]) { peer in
            var anonymous = HTTPClientConfiguration()
            anonymous.authorityFile = peer.certificateFile
            var known = anonymous
            known.clientCertificate = .init(certificateFile: peer.certificateFile, keyFile: peer.keyFile)

            let response = try await HTTPClient(known).send(HTTPRequest(url: "https://localhost:\(peer.port)/"))

            #expect(response.status == 200)
            #expect(await failure("https://localhost:\(peer.port)/", anonymous) != nil)
        }
    }

    private func failure(_ url: String, _ configuration: HTTPClientConfiguration) async -> HTTPClientError.Kind? {
        do throws(HTTPClientError) {
            _ = try await HTTPClient(configuration).send(HTTPRequest(url: url))
            return nil
        } catch {
            return error.kind
        }
    }
}

/// A TLS server with a certificate of its own for `localhost`.
struct TLSPeer: Sendable {
    static let openssl = "/usr/bin/openssl"

    let port: Int
    let certificateFile: String
    let keyFile: String

    static func with(arguments: [String] = [], _ body: (TLSPeer) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
        let request = Process()
        request.executableURL = URL(fileURLWithPath: openssl)
        request.arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate,
        ]
        request.standardError = FileHandle.nullDevice
        try request.run()
        request.waitUntilExit()

        let server = Process()
        server.executableURL = URL(fileURLWithPath: openssl)
        server.arguments =
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", certificate, "-key", key, "-CAfile", certificate]
            + arguments
        let output = Pipe()
        server.standardOutput = output
        server.standardError = FileHandle.nullDevice
        try server.run()
        defer {
            // It inherits a signal mask that holds back gentler signals.
            kill(server.processIdentifier, SIGKILL)
            server.waitUntilExit()
        }
        let port = try #require(Self.port(saidBy: output.fileHandleForReading))
        try await body(TLSPeer(port: port, certificateFile: certificate, keyFile: key))
    }

    /// From the line `ACCEPT 127.0.0.1:43210`.
    private static func port(saidBy output: FileHandle) -> Int? {
        var text = ""
        while true {
            let data = output.availableData
            guard !data.isEmpty else { return nil }
            text += String(decoding: data, as: UTF8.self)
            if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACCEPT") }), text.hasSuffix("\n") {
                return line.split(separator: ":").last.flatMap { Int($0) }
            }
        }
    }
}
