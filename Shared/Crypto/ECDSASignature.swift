internal import COpenSSL

/// The two forms of a P-256 signature: raw, as JWS has it (RFC 7518 § 3.4), and DER, as OpenSSL has it (RFC 3279 § 2.2.3).
enum ECDSASignature {
    /// Two numbers of 32 bytes each.
    static let rawCount = 64

    /// `SEQUENCE { INTEGER r, INTEGER s }`, at most 72 bytes; `nil` for anything but 64.
    static func der(fromRaw raw: some Collection<UInt8>) -> [UInt8]? {
        guard raw.count == rawCount else { return nil }
        var body: [UInt8] = []
        body.reserveCapacity(72)
        for number in [raw.prefix(32), raw.suffix(32)] {
            // Shortest form: no leading zeros but the one that keeps the number positive.
            let digits = number.drop { $0 == 0 }
            let sign = digits.first.map { $0 >= 0x80 } ?? true
            body += [0x02, UInt8(digits.count + (sign ? 1 : 0))]
            if sign { body.append(0) }
            body += digits
        }
        return [0x30, UInt8(body.count)] + body
    }

    /// Throws away the DER around the two numbers of a signature that we have made ourselves.
    static func raw(fromDER der: [UInt8]) throws(CryptoError) -> [UInt8] {
        var start: UnsafePointer<UInt8>?
        let signature = der.withUnsafeBufferPointer { buffer in
            start = buffer.baseAddress
            return d2i_ECDSA_SIG(nil, &start, buffer.count)
        }
        guard let signature else { throw .current("d2i_ECDSA_SIG") }
        defer { ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: rawCount)
        let padded = raw.withUnsafeMutableBufferPointer { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(signature), start, 32) == 32
                && BN_bn2binpad(ECDSA_SIG_get0_s(signature), start + 32, 32) == 32
        }
        guard padded else { throw .current("BN_bn2binpad") }
        return raw
    }
}
