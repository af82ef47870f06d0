import Foundation
import TestSupport

/// Certificates for a broker and a client, by openssl(1).
struct TestCertificates: Sendable {
    let folder: URL

    /// Makes an authority, `cert.pem`/`key.pem` of `localhost` and `client.pem`/`client-key.pem`, and an authority that has
    /// signed neither, `other.pem`.
    func make() async throws {
        try await authority("ca")
        try await authority("other")
        try await sign("cert", key: "key", name: "localhost")
        try await sign("client", key: "client-key", name: "client")
    }

    func path(_ name: String) -> String { folder.appendingPathComponent("\(name).pem").path }

    private func authority(_ name: String) async throws {
        try await openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            "/CN=\(name)", "-keyout", path("\(name)-key"), "-out", path(name))
    }

    private func sign(_ certificate: String, key: String, name: String) async throws {
        try await openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=\(name)",
            "-addext", "subjectAltName=DNS:\(name)", "-keyout", path(key), "-out", path("\(certificate)-request"))
        try await openssl(
            "x509", "-req", "-in", path("\(certificate)-request"), "-CA", path("ca"), "-CAkey", path("ca-key"),
            "-CAcreateserial", "-days", "2", "-copy_extensions", "copy", "-out", path(certificate))
    }

    private func openssl(_ arguments: String...) async throws {
        let result = try await BuiltExecutable(at: "/usr/bin/openssl").run(arguments)
        guard result.status == 0 else { throw TestFailure(result.errors) }
    }
}
