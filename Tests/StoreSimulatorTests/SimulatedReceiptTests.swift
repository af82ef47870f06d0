import Crypto
import Foundation
import StoreSimulator
import Testing

@Suite("Simulated receipts")
struct SimulatedReceiptTests {
    static let authority = Result { try TestAuthority.make() }
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    static func receipt(purchases count: Int = 2) -> ReceiptDesign {
        var receipt = ReceiptDesign(bundleID: "com.example.app", createdAt: now)
        receipt.purchases = (0..<count).map { index in
            var purchase = ReceiptPurchase(of: "pro", transactionID: "\(2_000 + index)", purchaseDate: now)
            purchase.expiresDate = now + 3_600
            return purchase
        }
        return receipt
    }

    @Test("OpenSSL verifies a receipt of either digest", arguments: [Digest.Algorithm.sha1, .sha256])
    func accepted(digest: Digest.Algorithm) throws {
        let authority = try Self.authority.get()
        let bytes = try authority.signReceipt(Self.receipt(), digest: digest)

        let content = try OpenSSLTool.ask { try $0.content(ofSignedData: bytes, root: authority.root, at: Self.now) }

        #expect(content == Self.receipt().payload)
    }

    @Test(
        "OpenSSL verifies every form of lengths, of attributes and of naming the signer",
        arguments: [
            SignedDataDesign.Form.definite, .indefinite(segment: 1_000), .indefinite(segment: 7),
        ], [SignedDataDesign.Signature.Attributes.none, .signed])
    func forms(form: SignedDataDesign.Form, attributes: SignedDataDesign.Signature.Attributes) throws {
        let authority = try Self.authority.get()
        for identification in [SignedDataDesign.Signature.Identification.issuerAndSerial, .keyIdentifier] {
            var design = SignedDataDesign(Self.receipt().payload, signedBy: try authority.receiptSigner)
            design.form = form
            design.certificates.reverse()
            design.signatures[0].attributes = attributes
            design.signatures[0].identification = identification
            // OpenSSL counts versions as RFC 5652 § 5.1 has it.
            design.version = identification == .keyIdentifier ? 3 : 1

            let content = try OpenSSLTool.ask {
                try $0.content(ofSignedData: try design.encoded(), root: authority.root, at: Self.now)
            }

            #expect(content == Self.receipt().payload, "\(identification)")
        }
    }

    @Test(
        "OpenSSL refuses what was designed to be wrong",
        arguments: [
            SignedDataDesign.Signature.Attributes.signedOverContent, .wrongDigest, .noDigest,
        ])
    func refused(attributes: SignedDataDesign.Signature.Attributes) throws {
        let authority = try Self.authority.get()
        var design = SignedDataDesign(Self.receipt().payload, signedBy: try authority.receiptSigner)
        design.signatures[0].attributes = attributes

        let content = try OpenSSLTool.ask {
            try $0.content(ofSignedData: try design.encoded(), root: authority.root, at: Self.now)
        }

        #expect(content == nil)
    }

    @Test("A receipt can have five thousand purchases, two signers, or a signature of its own choice")
    func extremes() throws {
        let authority = try Self.authority.get()
        let other = try TestAuthority.make()
        let large = SignedDataDesign(Self.receipt(purchases: 5_000).payload, signedBy: try authority.receiptSigner)
        var two = SignedDataDesign(Self.receipt().payload, signedBy: try authority.receiptSigner)
        two.signatures.append(.init(by: other.leafSigner))
        two.certificates += other.leafSigner.chain
        var forged = SignedDataDesign(Self.receipt().payload, signedBy: try authority.receiptSigner)
        forged.signatures[0].value = [UInt8](repeating: 7, count: 256)

        let verdicts = try OpenSSLTool.ask { openssl in
            [
                try openssl.content(ofSignedData: large.encoded(), root: authority.root, at: Self.now) != nil,
                // The second one's root is not trusted.
                try openssl.content(ofSignedData: two.encoded(), root: authority.root, at: Self.now) != nil,
                try openssl.content(ofSignedData: forged.encoded(), root: authority.root, at: Self.now) != nil,
            ]
        }

        #expect(verdicts == [true, false, false])
    }

    @Test("The device hash is over tag and length of the bundle id too, however long it is")
    func deviceHash() {
        var receipt = ReceiptDesign(bundleID: String(repeating: "a", count: 200), createdAt: Self.now)
        receipt.deviceIdentifier = [1, 2, 3, 4, 5, 6]
        let expected = Digest.sha1(
            [1, 2, 3, 4, 5, 6] + receipt.opaqueValue + [0x0C, 0x81, 200] + receipt.bundleID.utf8)

        #expect(receipt.deviceHash == expected)
        #expect(Data(receipt.payload).range(of: Data(expected)) != nil)
    }

    @Test("An attribute can be left out, replaced or doubled")
    func changes() throws {
        var receipt = Self.receipt()
        let version = Data(ReceiptAttribute.text(3, "1").bytesForTest)
        #expect(Data(receipt.payload).range(of: version) != nil)

        receipt.changes.missing = [3]
        #expect(Data(receipt.payload).range(of: version) == nil)
        receipt.changes.replace(with: .text(3, "2"))
        #expect(Data(receipt.payload).range(of: Data(ReceiptAttribute.text(3, "2").bytesForTest)) != nil)
        receipt.changes.extra.append(.text(3, "2"))
        let doubled = receipt.payload.count
        receipt.changes.extra.removeLast()
        #expect(doubled == receipt.payload.count + ReceiptAttribute.text(3, "2").bytesForTest.count)
    }
}

extension ReceiptAttribute {
    /// As it stands in a receipt, for one with a version below 128 and a short value.
    fileprivate var bytesForTest: [UInt8] {
        [0x30, UInt8(8 + value.count), 0x02, 0x01, UInt8(type), 0x02, 0x01, UInt8(version), 0x04, UInt8(value.count)]
            + value
    }
}
