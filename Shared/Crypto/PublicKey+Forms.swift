internal import COpenSSL

// The other forms in which keys are handed around.

extension PublicKey {
    /// How many bits the key has: the modulus of an RSA key, the field of an elliptic curve.
    public var bitCount: Int { Int(EVP_PKEY_get_bits(handle)) }

    /// From PEM: `PUBLIC KEY` or `RSA PUBLIC KEY`, the first in the text.
    public convenience init(pem: String) throws(CryptoError) {
        let bio = try MemoryBIO(copying: pem.utf8)
        var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
        var data: UnsafeMutablePointer<UInt8>?
        var count = 0
        guard bio.withHandle({ PEM_read_bio($0, &name, &header, &data, &count) }) == 1, let name else {
            throw .current("public key in PEM", .malformed)
        }
        defer {
            CRYPTO_free(name, "", 0)
            CRYPTO_free(header, "", 0)
            CRYPTO_free(data, "", 0)
        }
        let der = Array(UnsafeBufferPointer(start: data, count: count))
        switch String(cString: name) {
        case "PUBLIC KEY": try self.init(der: der)
        case "RSA PUBLIC KEY": try self.init(pkcs1: der)
        default: throw CryptoError(.malformed, "public key in PEM: something else")
        }
    }

    /// From an uncompressed point of P-256 (65 bytes) or P-384 (97), as in ANSI X9.63: `04`, x, y.
    ///
    /// - Throws: ``CryptoError`` for anything else, a point that is not on the curve included.
    public convenience init(x963 point: [UInt8]) throws(CryptoError) {
        let group: String
        switch point.count {
        case 65: group = "P-256"
        case 97: group = "P-384"
        default: throw CryptoError(.malformed, "public key: \(point.count) bytes are no point")
        }
        guard point.first == 4 else { throw CryptoError(.malformed, "public key: not an uncompressed point") }
        // Six times as fast as by way of SubjectPublicKeyInfo: nothing has to be found out about the bytes.
        guard let handle = tollgate_ec_key(group, point, point.count) else { throw .current("public key", .malformed) }
        try self.init(takingOwnershipOf: handle)
    }

    /// The point of a P-256 or P-384 key as in ANSI X9.63, uncompressed whatever form it came in; `nil` for others.
    public var x963: [UInt8]? {
        let width: Int32
        switch algorithm {
        case .p256: width = 32
        case .p384: width = 48
        default: return nil
        }
        guard let x = coordinate(OSSL_PKEY_PARAM_EC_PUB_X, width), let y = coordinate(OSSL_PKEY_PARAM_EC_PUB_Y, width)
        else { return nil }
        return [4] + x + y
    }

    private func coordinate(_ name: String, _ width: Int32) -> [UInt8]? {
        defer { ERR_clear_error() }
        var number: OpaquePointer?
        guard EVP_PKEY_get_bn_param(handle, name, &number) == 1, let number else { return nil }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(width))
        return BN_bn2binpad(number, &bytes, width) == width ? bytes : nil
    }
}
