import Crypto
import Foundation
import JSON
import StoreArtifacts
import Testing

@Suite("Signed purchases")
struct SignedPurchaseTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let key = Result { try PrivateKey.generate(.rsa2048) }
    static let otherKey = Result { try PrivateKey.generate(.rsa2048) }
    let key: PrivateKey
    let keyDER: [UInt8]

    init() throws {
        key = try Self.key.get()
        keyDER = try key.publicKey.der
    }

    static let google = #"""
        {"packageName":"com.example.app","productId":"pro","purchaseTime":1699999999000,"purchaseState":0,\#
        "purchaseToken":"abc.AO-1"}
        """#
    static let catappult = #"""
        {"orderId":"O1","packageName":"com.example.app","productId":"gas","purchaseTime":1699999999000,\#
        "purchaseToken":"catappult.inapp.purchase.A1","purchaseState":0,"developerPayload":""}
        """#

    // MARK: What is signed

    @Test("Google's need neither order nor payload; AppCoins' have all seven")
    func marketplaces() throws {
        let play = try #require(try verify(Self.google))
        let coins = try #require(try verify(Self.catappult))

        #expect(play.marketplace == .googlePlay)
        #expect(play.orderID == nil)
        #expect(play.purchaseTime == Self.now - 1)
        #expect(coins.marketplace == .catappult)
        #expect(coins.orderID == "O1")
        #expect(coins.developerPayload == "")
        for member in [
            #""orderId":"O1","#, #","developerPayload":"""#, #""packageName":"com.example.app","#,
            #""productId":"gas","#, #""purchaseTime":1699999999000,"#, #","purchaseState":0"#,
        ] {
            #expect(try refusal(Self.catappult.replacing(member, with: "")) == ("data", .malformed), "\(member)")
        }
        for member in [
            #""packageName":"com.example.app","#, #""productId":"pro","#, #""purchaseTime":1699999999000,"#,
            #""purchaseState":0,"#, #","purchaseToken":"abc.AO-1""#,
        ] {
            #expect(try refusal(Self.google.replacing(member, with: "")) == ("data", .malformed), "\(member)")
        }
    }

    @Test(
        "What is signed but no purchase is malformed",
        arguments: [
            "", "x", "[]", "{}", google + "x", google.replacing(":0", with: #":"0""#),
            google.replacing(":0", with: ":0.5"),
            google.replacing(#""pro""#, with: "7"), google.replacing("1699999999000", with: "-1"),
            google.replacing("1699999999000", with: "1e300"), google.replacing("pro", with: #"\u0000"#),
            google.replacing(":0,", with: #":0,"purchaseState":1,"#),
            google.replacing(":0,", with: #":0,"purch\u0061seState":1,"#),
            google.replacing(":0,", with: #":0,"autoRenewing":"yes","#),
            google.replacing(
                ":0,", with: ":0,\"x\":" + String(repeating: "[", count: 20) + String(repeating: "]", count: 20) + ","),
        ])
    func malformed(data: String) throws {
        #expect(try refusal(data) == ("data", .malformed))
    }

    @Test(
        "Every state is genuine, and one only grants something",
        arguments: [
            (0, SignedPurchase.State.purchased), (1, .cancelled), (2, .refunded), (4, .pending),
            (9, .init(rawValue: 9)),
        ])
    func states(number: Int, state: SignedPurchase.State) throws {
        #expect(try verify(Self.google.replacing(":0,", with: ":\(number),"))?.state == state)
    }

    @Test(
        "Whether it is a subscription is told as far as the data tells",
        arguments: [
            ("", nil), (#""autoRenewing":true,"#, true), (#""autoRenewing":false,"#, true), (#""type":"subs","#, true),
            (#""type":"inapp","#, false), (#""type":"INAPP","#, false), (#""type":7,"#, nil),
        ] as [(String, Bool?)])
    func subscriptions(member: String, isSubscription: Bool?) throws {
        let purchase = try #require(try verify(Self.google.replacing("{", with: "{\(member)")))

        #expect(purchase.isSubscription == isSubscription)
    }

    @Test(
        "Whatever a payload holds, and whatever stands around the data, is signed to the letter",
        arguments: [
            #"with \"quotes\", \/ and /"#, #"\n"#, "é", #"\u00e9"#, "e\u{301}", "😀", "",
        ])
    func exactBytes(payload: String) throws {
        let data = Self.catappult.replacing(#""developerPayload":"""#, with: #""developerPayload":"\#(payload)""#)

        for text in [data, data + "\n", "  " + data.replacing(":", with: " : ")] {
            for escapes in [JSONEncoder.OutputFormatting(), .withoutEscapingSlashes] {
                let encoder = JSONEncoder()
                encoder.outputFormatting = escapes
                let json = try encoder.encode(["signed_data": text, "signature": signature(of: text)])
                guard case .verified(let purchase) = try verifier().verify(Array(json), at: Self.now) else {
                    Issue.record("refused: \(text)")
                    continue
                }
                #expect(purchase.signedData == Array(text.utf8))
            }
        }
    }

    @Test("One letter that is spelled in another way is another text")
    func spellings() throws {
        let composed = Self.catappult.replacing(#":"""#, with: ":\"é\"")
        let decomposed = Self.catappult.replacing(#":"""#, with: ":\"e\u{301}\"")

        let envelope = PurchaseEnvelope(signedData: decomposed, signature: try signature(of: composed))
        #expect(try refusal(envelope) == ("signature", .badSignature))
    }

    @Test("Members that are not known are kept")
    func unknownMembers() throws {
        let data = Self.google.replacing("{", with: #"{"quantity":2,"more":{"n":9007199254740993},"#)

        let fields = try #require(try verify(data)).fields

        #expect(fields["quantity"] == .integer(2))
        #expect(fields["more"]?["n"] == .string("9007199254740993"))
        #expect(fields["purchaseTime"] == .integer(1_699_999_999_000))
    }

    // MARK: Envelopes

    @Test("It comes as three members, in either spelling, or as AppCoins' server writes it")
    func envelopes() throws {
        let texts = try (json(Self.catappult), json(signature(of: Self.catappult)))
        let verification = #"{"type":"GOOGLE","data":\#(texts.0),"signature":\#(texts.1)}"#
        let verifier = verifier()
        func outcome(_ text: String) throws -> String {
            switch try verifier.verify(Array(text.utf8), at: Self.now) {
            case .verified: "verified"
            case .refused(let step, _, _): step.rawValue
            case .retryable(let reason): reason.rawValue
            }
        }

        #expect(try outcome(#"{"signed_data":\#(texts.0),"signature":\#(texts.1)}"#) == "verified")
        #expect(try outcome(#"{"signedData":\#(texts.0),"signature":\#(texts.1),"x":[]}"#) == "verified")
        #expect(
            try outcome(#"{"uid":"catappult.inapp.purchase.A1","sku":"gas","verification":\#(verification)}"#)
                == "verified")
        #expect(
            try outcome(#"{"uid":"catappult.inapp.purchase.A2","sku":"gas","verification":\#(verification)}"#)
                == "token")
        #expect(
            try outcome(#"{"uid":"catappult.inapp.purchase.A1","sku":"oil","verification":\#(verification)}"#)
                == "product")
        for text in [
            "", "[]", "{}", #"{"signed_data":\#(texts.0)}"#, #"{"signature":\#(texts.1)}"#,
            #"{"signed_data":\#(Self.catappult),"signature":\#(texts.1)}"#,
            #"{"signed_data":\#(texts.0),"signature":7}"#,
            #"{"signed_data":\#(texts.0),"signed_data":\#(texts.0),"signature":\#(texts.1)}"#,
            #"{"signed_data":\#(texts.0),"signature":\#(texts.1)}x"#,
            #"{"signed_data":\#(texts.0),"signature":\#(texts.1),"x":"\#(String(repeating: "x", count: 1 << 16))"}"#,
            #"{"signed_data":"\u0000","signature":\#(texts.1)}"#, #"{"signed_data":"\ud800","signature":\#(texts.1)}"#,
        ] {
            #expect(try outcome(text) == "structure", "\(text.prefix(80))")
        }
    }

    @Test("Data that somebody has parsed on the way is told what it should have been")
    func parsedData() throws {
        let json = #"{"signed_data":{"orderId":"1"},"signature":"AAAA"}"#

        guard case .refused(.structure, .malformed, let message) = try verifier().verify(Array(json.utf8), at: Self.now)
        else {
            Issue.record("not refused")
            return
        }
        #expect(message.contains("exactly as it was signed"))
    }

    // MARK: Signature

    @Test("A signature is Base64 of one spelling, as long as the key")
    func signatures() throws {
        let good = try signature(of: Self.google)
        let bytes = try #require(Base64.standard.decode(good.utf8))
        #expect(good.hasSuffix("=="))

        let urlSafe = good.replacing("+", with: "-").replacing("/", with: "_")
        for bad in [
            "", String(good.dropLast()), String(good.dropLast(2)), good + "\n", good + "=", " " + good,
            good.prefix(76) + "\n" + good.dropFirst(76), String(urlSafe.prefix(342)), urlSafe,
            Base64.standard.encode(bytes + [0]), Base64.standard.encode([0] + bytes),
            Base64.standard.encode(bytes.dropLast()), Base64.standard.encode([UInt8](repeating: 0, count: 256)),
            Base64.standard.encode([UInt8](repeating: 0xFF, count: 256)), "AAAA",
        ] where bad != good {
            let envelope = PurchaseEnvelope(signedData: Self.google, signature: bad)
            #expect(try refusal(envelope) == ("signature", .badSignature), "\(bad)")
        }
    }

    @Test("SHA-1 only, and only by a key of the app")
    func otherSignatures() throws {
        let message = Array(Self.google.utf8)
        for digest in [Digest.Algorithm.sha256, .sha384, .sha512] {
            let envelope = PurchaseEnvelope(
                signedData: Self.google,
                signature: Base64.standard.encode(try key.signature(over: message, digest: digest)))
            #expect(try refusal(envelope) == ("signature", .badSignature))
        }
        let stranger = try Self.otherKey.get()
        let envelope = PurchaseEnvelope(
            signedData: Self.google,
            signature: Base64.standard.encode(try stranger.signature(over: message, digest: .sha1)))
        #expect(try refusal(envelope) == ("signature", .badSignature))
    }

    // MARK: Keys

    @Test("Each of several keys is tried; those that are none are passed over while there is one")
    func severalKeys() throws {
        let other = try Self.otherKey.get().publicKey.der
        let envelope = try envelope(Self.google)

        for keys in [[other, keyDER], [keyDER, other], [[], [1, 2, 3], keyDER]] {
            #expect(try SignedPurchaseVerifier(keys: keys).verify(envelope, at: Self.now).isVerified)
        }
        #expect(try refusal(envelope, SignedPurchaseVerifier(keys: [other])) == ("signature", .badSignature))
    }

    @Test("Without an RSA key of 2048 bits there is nothing to verify it with")
    func badKeys() throws {
        let envelope = try envelope(Self.google)
        let curve = try PrivateKey.generate().publicKey.der

        for keys in [[], [[]], [curve], [Array(keyDER.dropLast())], [keyDER + [0]]] {
            #expect(try refusal(envelope, SignedPurchaseVerifier(keys: keys)) == ("key", .badKey))
        }
        #expect(try refusal(envelope, SignedPurchaseVerifier(keys: [keyDER], leastBits: 2049)) == ("key", .badKey))
    }

    @Test("A key that comes with it is believed where the caller says so and has none, in every spelling that is used")
    func ownKey() throws {
        var envelope = try envelope(Self.google)
        let base64 = Base64.standard.encode(keyDER)
        let lines = stride(from: 0, to: base64.count, by: 64).map { String(base64.dropFirst($0).prefix(64)) }
        func pem(_ end: String) -> String {
            (["-----BEGIN PUBLIC KEY-----"] + lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: end)
        }
        let believing = SignedPurchaseVerifier(keys: [], believesOwnKey: true)

        for text in [
            pem("\n"), pem("\r\n"), "\"\(pem(#"\r\n"#))\"", "\"\(pem(#"\r\n"#).replacing("/", with: #"\/"#))\"",
            "\"\(pem(#"\n"#))\"", base64, "\"\(base64)\"", lines.joined(separator: "\n"), try pkcs1PEM(),
        ] {
            envelope.publicKey = text
            #expect(try believing.verify(envelope, at: Self.now).isVerified, "\(text)")
        }
        for text in ["", "{\"key\":\"\(base64)\"}", "dummy", String(base64.dropLast(4))] {
            envelope.publicKey = text
            #expect(try refusal(envelope, believing) == ("key", .badKey), "\(text)")
        }
        envelope.publicKey = nil
        #expect(try refusal(envelope, believing) == ("key", .badKey))
        envelope.publicKey = base64
        #expect(try refusal(envelope, SignedPurchaseVerifier(keys: [])) == ("key", .badKey))
        let other = try Self.otherKey.get().publicKey.der
        #expect(
            try refusal(envelope, SignedPurchaseVerifier(keys: [other], believesOwnKey: true))
                == ("signature", .badSignature))
    }

    // MARK: What was asked for

    @Test("App, product and token are compared if they are given, by the letter, and told apart")
    func comparisons() throws {
        let envelope = try envelope(Self.google)
        func verifier(_ package: String?, _ product: String?, _ token: String?) -> SignedPurchaseVerifier {
            SignedPurchaseVerifier(
                keys: [keyDER], packageName: package, productID: product, purchaseToken: token)
        }

        #expect(try verifier("com.example.app", "pro", "abc.AO-1").verify(envelope, at: Self.now).isVerified)
        #expect(try refusal(envelope, verifier("com.example.App", "x", "x")) == ("package", .wrongApp))
        #expect(try refusal(envelope, verifier("", nil, nil)) == ("package", .wrongApp))
        #expect(try refusal(envelope, verifier(nil, "pro2", "x")) == ("product", .wrongPurpose))
        #expect(try refusal(envelope, verifier(nil, nil, "abc.AO-")) == ("token", .nonceMismatch))
    }

    @Test("What was bought ahead of our clock is worth another try; a minute is forgiven")
    func future() throws {
        let envelope = try envelope(Self.google)

        #expect(try verifier().verify(envelope, at: Self.now - 61).isVerified)
        guard case .retryable(.signedInFuture) = try verifier().verify(envelope, at: Self.now - 62) else {
            Issue.record("not retryable")
            return
        }
    }

    // MARK: Tampering

    @Test("With any one bit changed, or cut at any byte, nothing else comes out of it")
    func tampering() async throws {
        let json = Array(
            #"{"signed_data":\#(try json(Self.catappult)),"signature":"\#(try signature(of: Self.catappult))"}"#.utf8)
        let verifier = verifier()
        let genuine = Array(Self.catappult.utf8)

        for count in json.indices {
            #expect(try !verifier.verify(Array(json[..<count]), at: Self.now).isVerified, "\(count) bytes")
        }
        try await sideBySide(0..<json.count * 8) { bit in
            var changed = json
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            guard case .verified(let purchase) = try verifier.verify(changed, at: Self.now) else { return }
            // An escape may be written in another way.
            #expect(purchase.signedData == genuine, "bit \(bit)")
        }
    }

    // MARK: What the tests are made of

    func signature(of data: String) throws -> String {
        Base64.standard.encode(try key.signature(over: Array(data.utf8), digest: .sha1))
    }

    func envelope(_ data: String) throws -> PurchaseEnvelope {
        PurchaseEnvelope(signedData: data, signature: try signature(of: data))
    }

    func verifier() -> SignedPurchaseVerifier { SignedPurchaseVerifier(keys: [keyDER]) }

    func verify(_ data: String) throws -> SignedPurchase? {
        if case .verified(let purchase) = try verifier().verify(envelope(data), at: Self.now) { return purchase }
        return nil
    }

    func refusal(_ data: String) throws -> (step: String?, reason: RefusalReason?) {
        try refusal(try envelope(data))
    }

    func refusal(
        _ envelope: PurchaseEnvelope, _ verifier: SignedPurchaseVerifier? = nil
    ) throws -> (step: String?, reason: RefusalReason?) {
        if case .refused(let step, let reason, _) = try (verifier ?? self.verifier()).verify(envelope, at: Self.now) {
            return (step.rawValue, reason)
        }
        return (nil, nil)
    }

    func json(_ text: String) throws -> String {
        String(decoding: try JSONCoding.encode(text), as: UTF8.self)
    }

    /// The key as `RSA PUBLIC KEY`: what stands behind the 24 bytes that say it is RSA.
    func pkcs1PEM() throws -> String {
        let base64 = Base64.standard.encode(keyDER.dropFirst(24))
        let lines = stride(from: 0, to: base64.count, by: 64).map { String(base64.dropFirst($0).prefix(64)) }
        return (["-----BEGIN RSA PUBLIC KEY-----"] + lines + ["-----END RSA PUBLIC KEY-----", ""])
            .joined(separator: "\n")
    }
}
