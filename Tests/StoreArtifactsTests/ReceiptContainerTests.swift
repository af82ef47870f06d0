import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Containers of receipts")
struct ReceiptContainerTests {
    let sample: ReceiptSample

    init() throws { sample = try ReceiptSample() }

    @Test("A container in segments and with indefinite lengths says the same", arguments: [1, 7, 100, 1000, 100_000])
    func segments(size: Int) throws {
        let definite = try SignedReceipt(sample.signed())

        let verdict = try sample.verdict(try sample.contained { $0.form = .indefinite(segment: size) })

        #expect(verdict.value?.receipt == definite.receipt)
    }

    @Test("Segments may be in segments, but not without end")
    func nestedSegments() throws {
        let content = ReceiptSample.design().payload
        let plain = try sample.contained { $0.form = .indefinite(segment: content.count) }
        let segment = DERWriter.octets(content)
        let start = try #require(plain.firstRange(of: segment))

        for depth in [1, 10, 15, 40, 10_000] {
            let nested =
                [UInt8](repeating: 0x24, count: depth).flatMap { [$0, 0x80] } + segment
                + [UInt8](repeating: 0, count: 2 * depth)
            let verdict = try sample.verdict(
                Array(plain[..<start.lowerBound]) + nested + Array(plain[start.upperBound...]))
            #expect(verdict.words == (depth <= 15 ? "verified" : "structure malformed"), "\(depth)")
        }
    }

    @Test("Each digest is accepted", arguments: Digest.Algorithm.allCases)
    func digests(digest: Digest.Algorithm) throws {
        let bytes = try sample.contained { [signer = sample.signer] in
            $0.signatures = [SignedDataDesign.Signature(by: signer, digest: digest)]
        }

        #expect(try sample.verdict(bytes).value?.digest.rawValue == "\(digest)")
    }

    @Test(
        "A signature may name its digest, which has to be the signer's",
        arguments: [
            ("1.2.840.113549.1.1.1", "verified"), ("1.2.840.113549.1.1.11", "verified"),
            ("1.2.840.113549.1.1.5", "structure unsupported_alg"),
            ("1.2.840.113549.1.1.12", "structure unsupported_alg"),
            ("1.2.840.113549.1.1.4", "structure unsupported_alg"),
            ("1.2.840.113549.1.1.10", "structure unsupported_alg"),
            ("1.2.840.10045.4.3.2", "signature bad_signature"),
        ])
    func algorithms(identifier: String, expected: String) throws {
        let bytes = try sample.contained { $0.signatures[0].signatureIdentifier = identifier }

        #expect(try sample.verdict(bytes).words == expected)
    }

    @Test(
        "Another digest than the signature's is seen, an unknown one is named",
        arguments: [
            ("1.3.14.3.2.26", "signature bad_signature"), ("2.16.840.1.101.3.4.2.2", "signature bad_signature"),
            ("1.2.840.113549.2.5", "structure unsupported_alg"),
            ("2.16.840.1.101.3.4.2.8", "structure unsupported_alg"),
        ])
    func otherDigest(identifier: String, expected: String) throws {
        let bytes = try sample.contained { $0.signatures[0].digestIdentifier = identifier }

        #expect(try sample.verdict(bytes).words == expected)
    }

    @Test(
        "Signed attributes are verified as they should be, never skipped",
        arguments: [
            (SignedDataDesign.Signature.Attributes.signed, "verified"), (.signedOverContent, "signature bad_signature"),
            (.wrongDigest, "signature bad_signature"), (.noDigest, "structure malformed"),
            (.wrongContentType, "structure malformed"),
        ])
    func attributes(attributes: SignedDataDesign.Signature.Attributes, expected: String) throws {
        for form in [SignedDataDesign.Form.definite, .indefinite(segment: 100)] {
            let bytes = try sample.contained { container in
                container.signatures[0].attributes = attributes
                container.form = form
            }
            #expect(try sample.verdict(bytes).words == expected)
        }
    }

    @Test("Exactly one has to have signed")
    func signers() throws {
        let twice = try sample.contained { $0.signatures += $0.signatures }
        let stranger = try Signer(
            selfSigned: CertificateBuilder(commonName: "Stranger", validity: .distantPast...Date.distantFuture),
            key: try PrivateKey.generate())
        let both = try sample.contained { container in
            container.signatures.append(SignedDataDesign.Signature(by: stranger))
            container.certificates.append(stranger.certificate)
        }
        let nobody = try sample.contained { $0.signatures = [] }

        #expect(try sample.verdict(twice).message == "more than one has signed it")
        #expect(try sample.verdict(both).message == "more than one has signed it")
        #expect(try sample.verdict(nobody).message == "nobody has signed it")
    }

    @Test(
        "The signer is found by name, or by his key, with the version that belongs to it",
        arguments: [
            (SignedDataDesign.Signature.Identification.issuerAndSerial, nil, "verified"),
            (.keyIdentifier, nil, "verified"),
            (.issuerAndSerial, 3, "structure malformed"), (.keyIdentifier, 1, "structure malformed"),
            (.issuerAndSerial, 0, "structure malformed"),
        ])
    func identification(
        identification: SignedDataDesign.Signature.Identification, version: Int?, expected: String
    ) throws {
        let bytes = try sample.contained { container in
            container.signatures[0].identification = identification
            container.signatures[0].version = version
        }

        #expect(try sample.verdict(bytes).words == expected)
    }

    @Test("The content has to be there, and both types have to be right")
    func types() throws {
        #expect(try sample.verdict(try sample.contained { $0.content = nil }).words == "structure malformed")
        #expect(
            try sample.verdict(try sample.contained { $0.type = ObjectIdentifiers.data }).message
                == "a container of another kind than SignedData")
        #expect(
            try sample.verdict(try sample.contained { $0.contentType = ObjectIdentifiers.signedData }).message
                == "its content is of another type than data")
    }

    @Test("Nothing may stand behind a receipt, or before it")
    func trailing() throws {
        let bytes = try sample.signed()
        let indefinite = try sample.contained { $0.form = .indefinite(segment: 1000) }

        for bytes in [bytes + [0], bytes + [0, 0], bytes + bytes, [0] + bytes, indefinite + [0, 0]] {
            #expect(try sample.verdict(bytes).words == "structure malformed")
        }
    }

    @Test(
        "What is no receipt is refused in words", arguments: ["", "0", "not a receipt", "eyJhbGciOiJFUzI1NiJ9.e30.AA"])
    func noReceipt(text: String) throws {
        #expect(try sample.verdict(Array(text.utf8)).words == "structure malformed")
    }

    @Test(
        "Nesting without end is refused",
        arguments: [[0x30, 0x80], [0xA0, 0x80], [0x24, 0x80], [0x30, 0x84] as [UInt8]])
    func nesting(start: [UInt8]) throws {
        let bytes = [UInt8](repeating: 0, count: 500_000).indices.map { start[$0 % start.count] }

        #expect(try sample.verdict(bytes).words == "structure malformed")
    }

    @Test(
        "A length that nobody could send is refused",
        arguments: [
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            [0x30, 0xFF], [0x30, 0x80], [0x30, 0x85, 0, 0, 0, 0, 0], [0x3F, 0x81, 0x01, 0x00], [0x04, 0x80, 0, 0],
        ] as [[UInt8]])
    func lengths(bytes: [UInt8]) throws {
        #expect(try sample.verdict(bytes).words == "structure malformed")
        #expect(try sample.verdict(bytes + [UInt8](repeating: 0, count: 1000)).words == "structure malformed")
    }

    @Test("A receipt longer than the limit is refused unread")
    func limit() throws {
        let bytes = try sample.signed()
        let small = ReceiptVerifier(roots: sample.roots, limit: bytes.count - 1)

        #expect(try small.verify(bytes, at: ReceiptSample.now).verdict.words == "structure malformed")
    }
}
