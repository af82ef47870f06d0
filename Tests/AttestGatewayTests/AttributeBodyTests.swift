import AttestGateway
import Messages
import Testing

@Suite("The body of attribute")
struct AttributeBodyTests {
    static let minimal = [
        "appUserId": #""user_42""#, "bundleId": #""com.example.tunes""#,
        "originalTransactionId": #""2000000123456789""#,
    ]

    @Test("With something signed, it is one command to the validator that carries the claim")
    func signed() throws {
        let parsed = try AttributeBody(
            body(Self.minimal, ["jws": #""e30.e30.c2ln""#, "productId": #""com.example.tunes.pro""#]))

        let command = parsed.command(for: .tunes, trust: .unverified)

        // printf %s e30.e30.c2ln | sha256sum
        let digest = "c6b7f82b5d3cbb22d00930ebee72ddcacd0b3ed5549525b318f42435ebd22679"
        guard case .artifact(let submit) = command else {
            Issue.record("\(command)")
            return
        }
        #expect(submit.digest.rawValue == digest)
        #expect(submit.artifact == Artifact(kind: .transaction, text: "e30.e30.c2ln"))
        #expect(
            submit.claim
                == TransactionClaim(
                    user: "user_42", originalTransactionID: OriginalTransactionID(rawValue: "2000000123456789"),
                    product: ProductID(rawValue: "com.example.tunes.pro"), trust: .unverified))
    }

    @Test("Without, it is a claim of the caller's rank to the resolver", arguments: [nil, "\"\"", "null"])
    func unsigned(jws: String?) throws {
        let parsed = try AttributeBody(body(Self.minimal, ["jws": jws]))

        #expect(
            parsed.command(for: .tunes, trust: .unverified)
                == .claim(
                    LinkClaim(
                        organisation: "acme", app: "com.example.tunes",
                        originalTransactionID: OriginalTransactionID(rawValue: "2000000123456789"), user: "user_42",
                        rank: .unverified)))
    }

    @Test("A required id is 1 to 256 bytes", arguments: ["appUserId", "bundleId", "originalTransactionId"])
    func required(field: String) {
        #expect(refusal(of: body(Self.minimal, [field: letters(256)])) == nil)
        #expect(refusal(of: body(Self.minimal, [field: letters(257)])) == ["field_too_long", field])
        #expect(refusal(of: body(Self.minimal, [field: "\"\""])) == ["field_empty", field])
        #expect(refusal(of: body(Self.minimal, [field: nil])) == ["missing_member", field])
        #expect(refusal(of: body(Self.minimal, [field: "2000000123"])) == ["wrong_type", field])
    }

    @Test("Product and signed transaction are texts, where they are there", arguments: ["productId", "jws"])
    func optional(field: String) {
        #expect(refusal(of: body(Self.minimal, [field: "null"])) == nil)
        #expect(refusal(of: body(Self.minimal, [field: "[1]"])) == ["wrong_type", field])
    }

    @Test("A product has at most 256 bytes")
    func productLength() {
        #expect(
            refusal(of: body(Self.minimal, ["productId": letters(257)]))
                == ["field_too_long", "productId"])
    }

    private func refusal(of bytes: [UInt8]) -> [String]? { refusalOfBody { _ = try AttributeBody(bytes) } }
}
