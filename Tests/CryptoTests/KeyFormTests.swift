import Crypto
import Testing

/// Keys and signatures made with the command `openssl`.
@Suite("Keys and signatures of other forms")
struct KeyFormTests {
    static let message = Array("A receipt.".utf8)
    static let signatures: [(Digest.Algorithm, String)] = [
        (.sha1, sha1Signature), (.sha256, sha256Signature), (.sha384, sha384Signature), (.sha512, sha512Signature),
    ]

    @Test("An RSA signature is good with its own digest only", arguments: signatures)
    func rsaSignatures(digest: Digest.Algorithm, signature: String) throws {
        let key = try PublicKey(der: Self.bytes(Self.rsaKey))
        let signature = try Self.bytes(signature)

        for other in Digest.Algorithm.allCases {
            #expect(try key.isValid(pkcs1Signature: signature, over: Self.message, digest: other) == (other == digest))
        }
    }

    @Test("An RSA signature that is cut, longer, changed or empty is no, not an error")
    func badRSASignatures() throws {
        let key = try PublicKey(der: Self.bytes(Self.rsaKey))
        let signature = try Self.bytes(Self.sha256Signature)
        var changed = signature
        changed[100] ^= 1

        for bad in [Array(signature.dropLast()), signature + [0], [0] + signature, changed, []] {
            #expect(try !key.isValid(pkcs1Signature: bad, over: Self.message, digest: .sha256))
        }
        #expect(try !key.isValid(pkcs1Signature: ArraySlice(signature.prefix(0)), over: Self.message, digest: .sha256))
        #expect(try !key.isValid(pkcs1Signature: signature, over: Self.message + [0], digest: .sha256))
        #expect(try key.isValid(pkcs1Signature: signature, over: Self.message, digest: .sha256))
    }

    @Test("A key of another kind made no RSA signature, and an RSA key no ECDSA signature")
    func kinds() throws {
        let rsa = try PublicKey(der: Self.bytes(Self.rsaKey))
        let curve = try PublicKey(der: Self.bytes(Self.p384Key))

        #expect(
            try !curve.isValid(
                pkcs1Signature: Self.bytes(Self.sha256Signature), over: Self.message, digest: .sha256))
        #expect(try !rsa.isValid(derSignature: Self.bytes(Self.p384Signature), over: Self.message, digest: .sha384))
        #expect(try !rsa.isValid(rawSignature: [UInt8](repeating: 1, count: 64), over: Self.message))
    }

    @Test("A P-384 key checks signatures in DER, with the digest that they were made with, and none of a JWS")
    func p384() throws {
        let key = try PublicKey(der: Self.bytes(Self.p384Key))
        let signature = try Self.bytes(Self.p384Signature)

        #expect(try key.isValid(derSignature: signature, over: Self.message, digest: .sha384))
        #expect(try !key.isValid(derSignature: signature, over: Self.message, digest: .sha256))
        #expect(try !key.isValid(rawSignature: [UInt8](repeating: 1, count: 64), over: Self.message))
    }

    @Test("A key is the same in each form, and says how long it is")
    func rsaForms() throws {
        let key = try PublicKey(der: Self.bytes(Self.rsaKey))
        let inner = "-----BEGIN RSA PUBLIC KEY-----\n\(Self.wrapped(Self.rsaInnerKey))-----END RSA PUBLIC KEY-----\n"
        let outer = "-----BEGIN PUBLIC KEY-----\n\(Self.wrapped(Self.rsaKey))-----END PUBLIC KEY-----\n"

        #expect(key.bitCount == 2048)
        #expect(try PublicKey(pkcs1: Self.bytes(Self.rsaInnerKey)).der == key.der)
        #expect(try PublicKey(pem: inner).der == key.der)
        #expect(try PublicKey(pem: outer).der == key.der)
        #expect(key.x963 == nil)
    }

    @Test("A text without a public key is an error", arguments: ["", "-----BEGIN PUBLIC KEY-----", "no key"])
    func noKey(text: String) {
        #expect(throws: CryptoError.self) { try PublicKey(pem: text) }
    }

    @Test("A private key and a certificate are no public key")
    func otherPEM() throws {
        let key = try PrivateKey.generate()

        #expect(throws: CryptoError.self) { try PublicKey(pem: key.pem) }
    }

    @Test("A key with something behind it is an error")
    func trailing() throws {
        #expect(throws: CryptoError.self) { try PublicKey(pkcs1: Self.bytes(Self.rsaInnerKey) + [0]) }
        #expect(throws: CryptoError.self) { try PublicKey(pkcs1: []) }
    }

    @Test("A point makes the key that it was taken from")
    func points() throws {
        let p256 = try PrivateKey.generate().publicKey
        let p384 = try PublicKey(der: Self.bytes(Self.p384Key))

        for (key, count) in [(p256, 65), (p384, 97)] {
            let point = try #require(key.x963)
            #expect(point.count == count)
            #expect(try PublicKey(x963: point).der == key.der)
        }
        #expect(p256.bitCount == 256)
        #expect(try PublicKey(der: Self.bytes(Self.compressedP384Key)).x963 == p384.x963)
    }

    @Test("What is no uncompressed point on a curve of ours is an error")
    func badPoints() throws {
        let point = try #require(try PrivateKey.generate().publicKey.x963)
        var offCurve = point
        offCurve[64] ^= 1

        let bad: [[UInt8]] = [
            [], [4], point.dropLast(), point + [0], offCurve, [6] + point.dropFirst(), [0] + point,
        ]

        for bad in bad {
            #expect(throws: CryptoError.self) { try PublicKey(x963: bad) }
        }
    }

    static func bytes(_ base64: String) throws -> [UInt8] { try #require(Base64.standard.decode(base64.utf8)) }

    static func wrapped(_ base64: String) -> String {
        var rest = Substring(base64)
        var text = ""
        while !rest.isEmpty {
            text += "\(rest.prefix(64))\n"
            rest = rest.dropFirst(64)
        }
        return text
    }

    static let rsaKey = """
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr8WfWLCAlZFm9kcgcpX40gcS36iCtPxgPPhvSOfjaZ+4PqymkxbS\
        a/vf4FE4fUz2b2WQ4FGBgyw4U/BXPXbA7RGZGPAi7C++BK3utMX6HNbvCQ5kuFmsMNZNrWVCK6t6Me5vc7+NpyyphFeXyFte\
        MXjQV135aHJjQ1bTzb1JQqHm+cyxrPnMIAd4dzEvcbpsI88VmgGDtYkGVGwOf4Jp+3wAsXQlqiyRE3PQPBBSr2bgHdeYVmEe\
        8AoRBGLMAIBJAsxT8q+cOKaW8BddwL8c1dEmyQsFmKJqMP8I7zHbXGpL/vM5OmekaIG/p+cPP1DyhtUweZBpgkk9Pnzo+/Hr\
        dwIDAQAB
        """
    static let rsaInnerKey = """
        MIIBCgKCAQEAr8WfWLCAlZFm9kcgcpX40gcS36iCtPxgPPhvSOfjaZ+4PqymkxbSa/vf4FE4fUz2b2WQ4FGBgyw4U/BXPXbA\
        7RGZGPAi7C++BK3utMX6HNbvCQ5kuFmsMNZNrWVCK6t6Me5vc7+NpyyphFeXyFteMXjQV135aHJjQ1bTzb1JQqHm+cyxrPnM\
        IAd4dzEvcbpsI88VmgGDtYkGVGwOf4Jp+3wAsXQlqiyRE3PQPBBSr2bgHdeYVmEe8AoRBGLMAIBJAsxT8q+cOKaW8BddwL8c\
        1dEmyQsFmKJqMP8I7zHbXGpL/vM5OmekaIG/p+cPP1DyhtUweZBpgkk9Pnzo+/HrdwIDAQAB
        """
    static let sha1Signature = """
        Cau3fHlcDK7kJ8iYWylXx23oMwPrsyYt2YaVU3ikJBuvnKUak3Kb920VlDPDNvGywrEHy1ErMHGZPomOWGDfe0gIgCL/MZ87\
        CqmmjdMaTs7UXNtEBLuYG2bsY9hSQ3QJ6oVv4Ai+mzQz3uMw1jfyhIQuKINhih4gS8eWxGImNvE7gWNkmQtFOAoZd1pI7PKH\
        m52XtfUr/alddupdxcoUe+5bWB7pG+DdIJtWk3EnAKNkhgbZeQo8zqoHd33UuH7lyG9y0Rf56CjEYW+ujw7Yww9fw1GVDpvc\
        M01AxVyj5q+pNPapZtFwoS3i1YRu5bj2+WO0I5dlVylEBA2Ti5P9vg==
        """
    static let sha256Signature = """
        P7/PkcdY91YMPBHlKcvmBIgNd8qPsNTU1KKXsohWnyfnraPm+/nATGCGjkmpBKW/eO0QkO4o/jo6fcePIOykLFqMMlxqvCUE\
        bTQ1dHQSnOLuPCA8qRSCF65vG2EGn565i0ajHUV5dvh4ze4JNdP6WXVOFMuYFFKqquuJKxVDd4Kwn2MgrSFwcDhX0vYdP9sR\
        bcp4uOI+JpoWhZMHtaBRSFgJPjvapVLOmDCqSJlZuYOxoqkBPD3WqTj8fokcITj9UdLdGhBxsZZ1hso5F03KcouZ0Sj4NPrc\
        oGOUJjLltp0+rrZAtecRwn8sDmU+CajMVXi3Rmntx8kYOwEihodFtQ==
        """
    static let sha384Signature = """
        Nea2ZI+Fj9Ed1uRoZmFHy4ZdBQ+ExqyAtB0IY1u4GppcMJtijjGczdxG0I+NLSjFbKoqDfD3Abi1sfqNUfgNtMF11hRR+6v+\
        J3KOcCWgDbd9duuFXeZ5Cy+eZMNLMjLIrOLfEthF6Kc/+fgGYbAgf04fsdVp9piI3XyR/cCYEAahmDVOo2aMvweLoesse4ZW\
        iXjlF/0ak/8dXpIu37S//UFfWkJ3dy3CbJJg8jyrU0gn/FwrW5HQ0YJcVDg3+LAl8/76jix0n+TxUR0OSMSVDmi3HZc70KMP\
        bQfJHloTI9ntCRbv1M0DOG4Zr3GhKYKgtDLvattGqCzeL4LUJ7w5VQ==
        """
    static let sha512Signature = """
        SJS1SGH7aKiGT/FSIcNKtGVw7YnJrt7CTl7+xgNyA6JufuzTbPxesAem3vPL6sK0Y6ZOj8b7SsLv3i8Y3tRnRJEJQMNytY6g\
        Bv7UKYk5sVGqDx01nPDjHoIS4vT21lQXGLTPX52U6sbpu0iWckc8x2RgXXjkikrBOKfg/ZoJN5qsxXVdxd5WJPXfE4Np1rj7\
        6lqtrXIqwnFZ8Ks5VecobGR0/9uL6G/xyQm0bz8BpyzHIrpoZ0A4yQXb+i9njGydEaXZYxPL2a/r9olLtaup0nBQv4D0ao6d\
        b9FmlHBo8NDhHYSQIOuVB97HOadCL6hYfrkHKmCMrv+YYf4NNhJ2ZQ==
        """
    static let p384Key = """
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEQSdIJQauTh92EXuDm7JKl1oAcZivEbJf6J5ClOFyzphXwtHCw+srxWi6i84ZFP9t\
        UE2h7I+p359Z+nY5BALlrIgOSiVm90ffx4/0Jlm6V/EVIuq0JEdYCnYVKJWJq12f
        """
    static let compressedP384Key = """
        MEYwEAYHKoZIzj0CAQYFK4EEACIDMgADQSdIJQauTh92EXuDm7JKl1oAcZivEbJf6J5ClOFyzphXwtHCw+srxWi6i84ZFP9t
        """
    static let p384Signature = """
        MGYCMQCUilIPu8BPdJJif8kcTCD/B2q18hgJnGpJknp8wUan2JElRZIRSawlyfOOAy8BECgCMQDsekIr7OTD3PfDpghy8YeZ\
        P4B7iHmPsOjhnkpm/M6Gi0AvKyEeDJvsWHdpvucX/4c=
        """
}
