import Crypto
import Foundation
import StoreSimulator

/// OpenSSL's command: an independent opinion on what the simulated store signs.
struct OpenSSLTool {
    private let folder: String

    /// Asks in a folder of its own that is gone afterwards.
    static func ask<Value>(_ body: (OpenSSLTool) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID().uuidString)").path()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(OpenSSLTool(folder: folder))
    }

    /// What is signed in a CMS SignedData; `nil` if it does not verify.
    func content(ofSignedData bytes: [UInt8], root: Certificate, at date: Date) throws -> [UInt8]? {
        try Data(bytes).write(to: file("message"))
        try Data(root.pem.utf8).write(to: file("root"))
        let status = try run([
            "cms", "-verify", "-inform", "DER", "-in", file("message").path(), "-CAfile", file("root").path(),
            "-binary", "-attime", "\(Int(date.timeIntervalSince1970))", "-out", file("content").path(),
        ])
        return status == 0 ? Array(try Data(contentsOf: file("content"))) : nil
    }

    /// Whether a certificate leads to a root.
    func isTrusted(_ chain: [Certificate], root: Certificate, at date: Date) throws -> Bool {
        try Data(chain[0].pem.utf8).write(to: file("leaf"))
        try Data(chain.dropFirst().map(\.pem).joined().utf8).write(to: file("between"))
        try Data(root.pem.utf8).write(to: file("root"))
        return try run([
            "verify", "-attime", "\(Int(date.timeIntervalSince1970))", "-CAfile", file("root").path(),
            "-untrusted", file("between").path(), file("leaf").path(),
        ]) == 0
    }

    private func file(_ name: String) -> URL { URL(filePath: folder).appending(path: name) }

    private func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
