internal import Crypto

/// Public keys as people hand them on: PEM, or Base64 in any dress, in quotes, with line ends as JSON writes them.
public enum KeyText {
    /// SubjectPublicKeyInfo in DER, or a point (X9.63), as it stands there; `nil` for a text that is neither PEM nor
    /// Base64. Whether the bytes are a key is not looked at.
    public static func decode(_ text: String) -> [UInt8]? {
        let plain = text.replacing("\\r", with: "").replacing("\\n", with: "\n").replacing("\\/", with: "/")
        let unquoted = plain.filter { $0 != "\"" && $0 != "'" }
        if let key = try? PublicKey(pem: unquoted) { return try? key.der }
        let parts = unquoted.split(separator: "-----")
        return LaxBase64.decode(Array((parts.count >= 3 ? parts[1] : unquoted[...]).utf8)[...])
    }
}

extension [UInt8] {
    /// Two hexadecimal digits a byte, in either case; `nil` for anything else.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = text.utf8.map { $0 < 0x80 ? Character(Unicode.Scalar($0)).hexDigitValue : nil }
        guard digits.count.isMultiple(of: 2) else { return nil }
        self = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            append(UInt8(high << 4 | low))
        }
    }
}
