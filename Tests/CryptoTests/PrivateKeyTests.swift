import Crypto
import Foundation
import Testing

@Suite("Private keys")
struct PrivateKeyTests {
    static let message = Array("a message".utf8)

    @Test(
        "A key of any kind comes back from PEM, and signs what OpenSSL's own tool verifies",
        arguments: [PrivateKey.Kind.p256, .p384, .rsa2048], Digest.Algorithm.allCases)
    func kinds(kind: PrivateKey.Kind, digest: Digest.Algorithm) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let key = try PrivateKey(pem: try PrivateKey.generate(kind).pem)
        let signature = try key.signature(over: Self.message, digest: digest)
        try Data(Self.message).write(to: URL(filePath: "\(folder)/message"))
        try Data(signature).write(to: URL(filePath: "\(folder)/signature"))
        try Data(key.publicKey.der).write(to: URL(filePath: "\(folder)/key"))

        let openssl = Process()
        openssl.executableURL = URL(filePath: "/usr/bin/env")
        openssl.arguments = [
            "openssl", "dgst", "-\(digest)", "-verify", "\(folder)/key", "-keyform", "DER",
            "-signature", "\(folder)/signature", "\(folder)/message",
        ]
        openssl.standardOutput = FileHandle.nullDevice
        try openssl.run()
        openssl.waitUntilExit()

        #expect(openssl.terminationStatus == 0)
        #expect(signature.count == 256 || kind != .rsa2048)
    }

    @Test("Only P-256 has the raw signatures of a JWS", arguments: [PrivateKey.Kind.p384, .rsa2048])
    func raw(kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)

        #expect(throws: CryptoError.self) { try key.rawSignature(over: Self.message) }
    }

    @Test("A certificate can be for any key, signed by any other, with any extension")
    func certificates() throws {
        let validity = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 2_000_000_000)
        let (rootKey, middleKey, leafKey) = (
            try PrivateKey.generate(), try PrivateKey.generate(.p384), try PrivateKey.generate(.rsa2048)
        )
        var builder = CertificateBuilder(commonName: "Root", validity: validity)
        builder.isAuthority = true
        let root = try builder.selfSigned(by: rootKey)
        builder.commonName = "Middle"
        builder.digest = .sha384
        let middle = try builder.certificate(for: try middleKey.publicKey, signedBy: rootKey, of: root)
        var leafBuilder = CertificateBuilder(commonName: "Leaf", validity: validity)
        leafBuilder.extensions = [.init("1.2.3.4", value: [0x04, 0x01, 0x07]), .init("1.2.3.5", value: [])]
        let leaf = try leafBuilder.certificate(for: try leafKey.publicKey, signedBy: middleKey, of: middle)

        let chain = CertificateChain(leaf: leaf, intermediates: [middle])
        let verdict = try chain.verdict(against: [root], at: Date(timeIntervalSince1970: 1_000))

        guard case .trusted(let path) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(path.map(\.subject) == ["CN=Leaf", "CN=Middle", "CN=Root"])
        #expect(leaf.hasExtension("1.2.3.4") && leaf.hasExtension("1.2.3.5") && !middle.hasExtension("1.2.3.4"))
        let value: [UInt8] = [0x06, 0x03, 0x2A, 0x03, 0x04, 0x04, 0x03, 0x04, 0x01, 0x07]
        #expect(Data(leaf.der).range(of: Data(value)) != nil)
    }
}
