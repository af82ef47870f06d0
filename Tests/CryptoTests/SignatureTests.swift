import Crypto
import Testing

@Suite("Signatures")
struct SignatureTests {
    let key: PrivateKey
    let publicKey: PublicKey
    let message = Array("a message".utf8)

    init() throws {
        key = try PrivateKey.generate()
        publicKey = try key.publicKey
    }

    @Test("A signature is valid in its own form, for its own message and key")
    func forms() throws {
        let raw = try key.rawSignature(over: message)
        let der = try key.signature(over: message)

        #expect(raw.count == 64)
        #expect(try publicKey.isValid(rawSignature: raw, over: message))
        #expect(try publicKey.isValid(derSignature: der, over: message))
        #expect(try !publicKey.isValid(rawSignature: raw, over: message + [0]))
        #expect(try !PrivateKey.generate().publicKey.isValid(rawSignature: raw, over: message))
    }

    @Test("DER is no raw signature, and raw is no DER")
    func confusion() throws {
        #expect(try !publicKey.isValid(rawSignature: key.signature(over: message), over: message))
        #expect(try !publicKey.isValid(derSignature: key.rawSignature(over: message), over: message))
    }

    @Test("Hundreds of signatures convert between the forms, leading zeros and high bits included")
    func conversions() throws {
        for _ in 0..<600 {
            #expect(try publicKey.isValid(rawSignature: key.rawSignature(over: message), over: message))
        }
    }

    @Test(
        "Bytes that are no signature are not valid, and no error",
        arguments: [
            [], [0], [0x30], [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64),
            [UInt8](repeating: 0, count: 63) + [1], [UInt8](repeating: 1, count: 65),
            [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF],
        ])
    func garbage(bytes: [UInt8]) throws {
        #expect(try !publicKey.isValid(rawSignature: bytes, over: message))
        #expect(try !publicKey.isValid(derSignature: bytes, over: message))
    }

    @Test("A signature with bytes behind it or a changed bit is not valid")
    func changes() throws {
        let der = try key.signature(over: message)
        let raw = try key.rawSignature(over: message)

        #expect(try !publicKey.isValid(derSignature: der + [0], over: message))
        for bit in 0..<512 {
            var changed = raw
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(try !publicKey.isValid(rawSignature: changed, over: message))
        }
    }

    @Test("A key of another kind has no ES256 signatures")
    func otherKey() throws {
        let rsa = try PublicKey(der: try #require(Base64.standard.decode(Self.rsaKey.utf8)))

        #expect(rsa.algorithm == .rsa)
        #expect(try !rsa.isValid(rawSignature: key.rawSignature(over: message), over: message))
    }

    @Test("Keys come back from DER and PEM")
    func keyForms() throws {
        let again = try PrivateKey(pem: key.pem)

        #expect(try again.publicKey.der == publicKey.der)
        #expect(
            try PublicKey(der: publicKey.der).isValid(rawSignature: again.rawSignature(over: message), over: message))
        #expect(publicKey.algorithm == .p256)
    }

    @Test("What is no key is malformed, whole or with bytes behind it")
    func malformedKeys() throws {
        let der = try publicKey.der

        for bytes in [[], [0x30], Array(der.dropLast()), der + [0]] as [[UInt8]] {
            let error = #expect(throws: CryptoError.self) { try PublicKey(der: bytes) }
            #expect(error?.fault == .malformed)
        }
        #expect(throws: CryptoError.self) { try PrivateKey(pem: "") }
        #expect(throws: CryptoError.self) {
            try PrivateKey(pem: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----")
        }
    }

    @Test("A refused signature leaves nothing behind that a later error could be blamed on")
    func errorQueue() throws {
        #expect(try !publicKey.isValid(derSignature: [0x30, 0x01], over: message))

        let error = #expect(throws: CryptoError.self) { try PrivateKey(pem: "no key") }

        #expect(error?.text.contains("PEM") == true || error?.text.contains("DECODER") == true, "\(error?.text ?? "")")
    }

    @Test("One key serves many tasks at once")
    func sharing() async throws {
        let signature = try key.rawSignature(over: message)

        await withTaskGroup(of: Bool.self) { [publicKey, message] group in
            for _ in 0..<8 {
                group.addTask {
                    (0..<50).allSatisfy { _ in
                        (try? publicKey.isValid(rawSignature: signature, over: message)) == true
                    }
                }
            }
            for await allValid in group { #expect(allValid) }
        }
    }

    /// RSA with 1024 bits; its private half was thrown away.
    static let rsaKey =
        "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC7OhnhiPnl50171a96x7OJtxZ9gzBtHfyVBl/45+5fK4T2+TJf3U52qrZT"
        + "+x5MLgdtOt/V/8FTzZuxDXjLKVGwAzeB1y1rtUjUO/YL/7L2TRRjIO3hLyhY3weyQw2PStY0YsJn84pMJGLC68OgP1Pc8GJo"
        + "MfJIPBUZMGbCjMIxaQIDAQAB"
}
