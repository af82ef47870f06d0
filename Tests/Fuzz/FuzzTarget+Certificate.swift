import Crypto
import FoundationEssentials
import StoreArtifacts
import StoreSimulator

extension FuzzTarget {
    /// Certificates that are read without OpenSSL: it has to read each of them as well, and to the same end.
    static let certificate = FuzzTarget(
        name: "certificate",
        run: { bytes in
            guard let plain = PlainCertificate(der: bytes) else { return }
            guard let certificate = try? Certificate(der: bytes) else { fatalError("OpenSSL does not read it") }
            guard certificate.notBefore == plain.notBefore, certificate.notAfter == plain.notAfter else {
                fatalError("valid at another time")
            }
        },
        samples: {
            let signer = try TestAuthority.make().deviceAuthority
            var builder = CertificateBuilder(
                commonName: "device", validity: Samples.date - 86_400...Samples.date + 86_400)
            builder.extensions = [.init("1.2.840.113635.100.8.2", value: [0x05, 0x00])]
            return [try signer.issue(builder, for: try .generate()).certificate.der]
        })
}
