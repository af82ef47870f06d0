import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Simulated devices")
struct SimulatedDeviceTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let hash = Digest.sha256(Array("challenge".utf8))

    @Test("An attestation's chain leads to the root, and its nonce covers what it says")
    func attestation() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        let device = try SimulatedDevice(appID: "TEAM123456.com.example.app", environment: .development)

        let object = try read(device.attest(clientDataHash: Self.hash, by: authority, at: Self.now))

        let certificates = try object.certificates.map { try Certificate(der: $0) }
        #expect(certificates.count == 2)
        #expect(
            try OpenSSLTool.ask { openssl in
                try openssl.isTrusted(certificates, root: authority.root, at: Self.now)
            })
        #expect(try certificates[0].publicKey.x963 == device.publicKey)
        #expect(certificates[0].subject == "CN=\(device.keyID.hexadecimal)")
        let nonce = Digest.sha256(object.authenticatorData + Self.hash)
        #expect(
            certificates[0].value(ofExtension: "1.2.840.113635.100.8.2") == [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + nonce
        )
        let data = object.authenticatorData
        #expect(Array(data.prefix(32)) == Digest.sha256(Array("TEAM123456.com.example.app".utf8)))
        #expect(Array(data[32..<37]) == [0x40, 0, 0, 0, 0])
        #expect(Array(data[37..<53]) == Array("appattestdevelop".utf8))
        #expect(Array(data[53..<87]) == [0, 32] + device.keyID)
        #expect(data.count == 164)
    }

    @Test("The receipt in an attestation is one that OpenSSL verifies, with indefinite lengths")
    func receipt() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        let device = try SimulatedDevice(appID: "TEAM123456.com.example.app")

        let object = try read(device.attest(clientDataHash: Self.hash, by: authority, at: Self.now))
        let receipt = try #require(object.receipt)
        let content = try #require(
            try OpenSSLTool.ask { try $0.content(ofSignedData: receipt, root: authority.root, at: Self.now) })

        #expect(receipt.prefix(2) == [0x30, 0x80])
        #expect(Data(receipt).range(of: Data([0x24, 0x80, 0x04, 0x82])) != nil)
        for text in ["TEAM123456.com.example.app", "ATTEST", "production", "2023-11-14T22:13:20.000Z"] {
            #expect(Data(content).range(of: Data(text.utf8)) != nil, "\(text)")
        }
        #expect(Data(content).range(of: Data(object.certificates[0])) != nil)
    }

    @Test("Assertions count, and are signed with the attested key")
    func assertions() throws {
        var device = try SimulatedDevice(appID: "TEAM123456.com.example.app")

        for count in 1...3 as ClosedRange<UInt8> {
            let bytes = try device.assert(clientDataHash: Self.hash)
            let object = try CBORReader.item(bytes[...], limits: .init(bytes: 10_000))
            guard case .map = object, let data = object["authenticatorData"]?.bytes,
                let signature = object["signature"]?.bytes
            else {
                Issue.record("no assertion")
                return
            }
            #expect(Array(data.suffix(5)) == [0x40, 0, 0, 0, count])
            let nonce = Digest.sha256(data + Self.hash)
            #expect(try PublicKey(x963: device.publicKey).isValid(derSignature: Array(signature), over: nonce))
        }
    }

    private struct Attestation {
        let certificates: [[UInt8]]
        let receipt: [UInt8]?
        let authenticatorData: [UInt8]
    }

    private func read(_ bytes: [UInt8]) throws -> Attestation {
        let object = try CBORReader.item(bytes[...], limits: .init(bytes: 100_000))
        #expect(object["fmt"]?.text == "apple-appattest")
        guard let statement = object["attStmt"], let chain = statement["x5c"]?.array,
            let data = object["authData"]?.bytes
        else {
            Issue.record("no attestation")
            return Attestation(certificates: [], receipt: nil, authenticatorData: [])
        }
        return Attestation(
            certificates: chain.compactMap { $0.bytes.map { Array($0) } },
            receipt: statement["receipt"]?.bytes.map { Array($0) }, authenticatorData: Array(data))
    }
}

extension CBORValue {
    fileprivate subscript(name: String) -> CBORValue? { map?[.text(name)] }
}
