import Crypto
import Foundation
import Testing

@Suite("Certificates")
struct CertificateTests {
    static let validity = Date(timeIntervalSince1970: 1_000_000_000)...Date(timeIntervalSince1970: 2_600_000_000)
    let key: PrivateKey
    let certificate: Certificate

    init() throws {
        key = try PrivateKey.generate()
        var builder = CertificateBuilder(commonName: "Größe, \"Test\"", validity: Self.validity)
        builder.markers = ["1.2.840.113635.100.6.11.1"]
        builder.serial = [0x0A, 0xBC]
        certificate = try builder.selfSigned(by: key)
    }

    @Test("A certificate tells what it was made with")
    func fields() throws {
        #expect(certificate.subject == #"CN=Größe\, \"Test\""#)
        #expect(certificate.issuer == certificate.subject)
        #expect(certificate.notBefore == Self.validity.lowerBound)
        #expect(certificate.notAfter == Self.validity.upperBound)
        #expect(certificate.serial == "0ABC")
        #expect(!certificate.isAuthority)
        #expect(try certificate.publicKey.der == key.publicKey.der)
        #expect(certificate.fingerprint == Digest.sha256(certificate.der))
    }

    @Test("A marker is found by its whole identifier, not by a part of it")
    func markers() {
        #expect(certificate.hasExtension("1.2.840.113635.100.6.11.1"))
        #expect(!certificate.hasExtension("1.2.840.113635.100.6.11"))
        #expect(!certificate.hasExtension("1.2.840.113635.100.6.11.10"))
        #expect(!certificate.hasExtension("1.2.840.113635.100.6.2.1"))
        #expect(!certificate.hasExtension(""))
    }

    @Test("A certificate comes back from DER and PEM")
    func forms() throws {
        #expect(try Certificate(der: certificate.der).der == certificate.der)
        #expect(try Certificate(pem: certificate.pem).der == certificate.der)
    }

    @Test("What is no certificate is malformed, cut at any byte or with one more")
    func malformed() {
        for bytes in (0..<certificate.der.count).map({ Array(certificate.der.prefix($0)) }) + [certificate.der + [0]] {
            let error = #expect(throws: CryptoError.self) { try Certificate(der: bytes) }
            #expect(error?.fault == .malformed)
        }
        #expect(throws: CryptoError.self) { try Certificate(pem: "") }
    }

    @Test("A certificate with any one bit changed is refused or read, and never traps")
    func changes() throws {
        for bit in 0..<(certificate.der.count * 8) {
            var changed = certificate.der
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard let other = try? Certificate(der: changed) else { continue }
            _ = (other.subject, other.serial, other.isAuthority, other.hasExtension("1.2.3"), try? other.publicKey.der)
            let chain = CertificateChain(leaf: other, intermediates: [])
            guard case .trusted = try chain.verdict(against: [certificate], at: Date(timeIntervalSince1970: 2e9)) else {
                continue
            }
            Issue.record("bit \(bit) does not matter")
        }
    }
}
