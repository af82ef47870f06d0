import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Recognising artifacts")
struct RecognitionTests {
    /// What it looks like to somebody who has no idea and trusts nobody.
    static func look(_ bytes: [UInt8], as kind: ArtifactKind? = nil) throws -> Examination {
        try ArtifactExaminer(trust: ArtifactTrust(roots: [])).examine(bytes, as: kind, at: ExaminationTests.now)
    }

    static func look(_ text: String, as kind: ArtifactKind? = nil) throws -> Examination {
        try look(Array(text.utf8), as: kind)
    }

    static func message(_ examination: Examination) -> String { examination.report.message ?? "" }

    /// The container of a receipt, cut behind the name of its type.
    static let receipt: [UInt8] =
        [0x30, 0x82, 0x10, 0x00, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
        + (0..<100).map { UInt8($0 * 7 & 0xFF) }

    // MARK: Dresses

    typealias Dress = @Sendable (String) -> String

    static let plainDresses: [Dress] = [
        { $0 }, { $0.replacing("=", with: "") }, { $0.replacing("+", with: "-").replacing("/", with: "_") },
        { "\n  \($0)\r\n\t" }, { "\"\($0)\"" }, { "'\($0)'\n" }, { "\"\($0.replacing("/", with: "\\/"))\"" },
        { "\u{FEFF}\($0)" },
    ]
    static let richDresses: [Dress] = [
        { Data(base64Encoded: $0)?.base64EncodedString(options: .lineLength64Characters) ?? "" },
        { "-----BEGIN PKCS7-----\n\($0)\n-----END PKCS7-----\n" }, { Base64.standard.encode($0.utf8) },
        { #"{"receipt-data": "\#($0)", "password": "x"}"# }, { #"{"data": {"receipt": ["\#($0)"]}}"# },
    ]

    @Test("A receipt is found in every dress of Base64", arguments: plainDresses + richDresses)
    func dresses(dress: Dress) throws {
        let examination = try Self.look(dress(Base64.standard.encode(Self.receipt)))

        #expect(examination.artifact.kind == .receipt)
        #expect(examination.artifact.bytes == Self.receipt)
    }

    @Test("A receipt is found as it is, too")
    func raw() throws {
        #expect(try Self.look(Self.receipt).artifact.kind == .receipt)
    }

    static let textDresses: [Dress] = [
        { $0 }, { " \($0)\n" }, { "\"\($0)\"" }, { #"{"signedTransactionInfo":"\#($0)"}"# },
        { #"{"jws":"\#($0)"}"# }, { $0.replacing(".", with: "\n.\n") },
        { #"{"signedPayload":12,"data":{"signedTransactions":["\#($0)"]}}"# },
    ]

    @Test("A signed text is found with white space, in quotes, in a member", arguments: textDresses)
    func signedText(dress: Dress) throws {
        let text = String(decoding: try ExaminationTests.transaction(), as: UTF8.self)

        let examination = try ExaminationTests.examiner().examine(Array(dress(text).utf8), at: ExaminationTests.now)

        #expect(examination.verdict.isVerified)
        #expect(examination.artifact.bytes == Array(text.utf8))
    }

    @Test("Of several artifacts in one object that is taken which is asked for")
    func several() throws {
        let authority = try ExaminationTests.authority.get()
        let purchase = ExaminationTests.purchase()
        let transaction = try authority.signTransaction(purchase.latest)
        let renewal = try authority.signRenewal(try #require(purchase.renewal))
        let both = #"{"signedTransactionInfo":"\#(transaction)","signedRenewalInfo":"\#(renewal)"}"#

        #expect(try Self.look(both).artifact.kind == .transaction)
        #expect(try Self.look(both, as: .renewal).artifact.kind == .renewal)
    }

    // MARK: What is named

    @Test(
        "What cannot be verified is named",
        arguments: [
            (#"{"notification_type":"DID_RENEW","password":"x"}"#, "version 1 (it carries no signature)"),
            ("{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"AAAA\";\n}", "iOS 6"),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", "a private key"),
            (#"{"x5c":["AAAA"]}"#, "a list of certificates"),
            (#"{"orderId":"GPA.1","purchaseToken":"t"}"#, "without the signature"),
            (#"{"signedTransactions":["e30.e30.AA","e30.e30.AA"]}"#, "a list of several artifacts"),
            ("", "empty"), (" \n\t ", "empty"), ("hello", "nothing that a store signs"),
            ("https://example.com/receipt", "nothing that a store signs"), ("\u{0}\u{0}\u{0}", "nothing"),
        ])
    func named(text: String, name: String) throws {
        let examination = try Self.look(text)

        #expect(Self.message(examination).contains(name), "\(Self.message(examination))")
        guard case .refused(.kind, .malformed, _) = examination.verdict else {
            Issue.record("\(examination.verdict)")
            return
        }
    }

    @Test("Certificates and public keys are, in DER and PEM")
    func certificates() throws {
        let root = try ExaminationTests.authority.get().root
        let key = try root.publicKey.der
        let pem = "-----BEGIN PUBLIC KEY-----\n\(Base64.standard.encode(key))\n-----END PUBLIC KEY-----"

        #expect(try Self.look(root.der).kind == .certificate)
        #expect(try Self.look(root.pem).kind == .certificate)
        #expect(Self.message(try Self.look(key)).contains("a public key"))
        #expect(Self.message(try Self.look(pem, as: .receipt)).contains("a public key where an App Store receipt"))
    }

    @Test("Old receipts are named in Base64, too")
    func oldReceipt() throws {
        let list = "{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"AAAA\";\n}"

        #expect(try Self.look(Base64.standard.encode(list.utf8)).kind == .iOS6Receipt)
        #expect(try Self.look(#"{"receipt-data":"\#(Base64.standard.encode(list.utf8))"}"#).kind == .iOS6Receipt)
    }

    static let maps: [([UInt8], String, ArtifactKind)] = [
        ([0xA3, 0x63], "fmt", .attestation), ([0xA2, 0x69], "signature", .assertion),
        ([0xA2, 0x71], "authenticatorData", .assertion), ([0xBF, 0x67], "attStmt", .attestation),
        ([0xB8, 0x03, 0x63], "fmt", .attestation), ([0xA0], "", .unknown), ([0xA1, 0x61], "a", .unknown),
        ([0xBB, 0xFF], "", .unknown),
    ]

    @Test("App Attest's maps are told apart by their keys", arguments: maps)
    func cbor(head: [UInt8], key: String, kind: ArtifactKind) throws {
        #expect(try Self.look(head + Array(key.utf8)).artifact.kind == kind)
    }

    // MARK: Hostile input

    static let repeated: [UInt8] = Array("[{\".0'-".utf8) + [0x30, 0x06, 0x80, 0xA1, 0xBF, 0xFF, 0x00]
    static let odd: [[UInt8]] = [
        [0xEF, 0xBB, 0xBF], [0xEF, 0xBB], [0x30], [0x30, 0xFF], [0xBF], [0xB8], Array("\"\\u0000\"".utf8),
        Array((String(repeating: #"{"data":"#, count: 30) + "1" + String(repeating: "}", count: 30)).utf8),
        Array((#"{"receipt":"# + String(repeating: "[", count: 31)).utf8), Array("-----BEGIN ".utf8),
        Array("eyJ.".utf8), Array("eyJ9.e30.".utf8), Array("{\"signed_data\":1,\"signature\":2}".utf8),
    ]

    @Test(
        "Nothing makes it fail or take long",
        arguments: repeated.map { [UInt8](repeating: $0, count: 20_000) } + odd)
    func hostile(bytes: [UInt8]) throws {
        for kind in [nil] + ArtifactKind.verifiable.map(Optional.some) {
            let examination = try Self.look(bytes, as: kind)
            #expect(!examination.verdict.isVerified)
            #expect(!Self.message(examination).isEmpty)
        }
    }

    @Test("Base64 of Base64 of … is followed only so far")
    func nested() throws {
        var text = Base64.standard.encode(Self.receipt)
        for _ in 0..<20 { text = Base64.standard.encode(text.utf8) }

        #expect(try Self.look(text).artifact.kind == .unknown)
    }

    @Test("What is longer than any artifact is refused unread")
    func tooLong() throws {
        let examination = try Self.look([UInt8](repeating: 0x41, count: ArtifactExaminer.limit + 1))

        #expect(Self.message(examination).contains("longer than 4 MiB"))
    }
}
