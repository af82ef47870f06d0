internal import Crypto
internal import StoreArtifacts

/// A key that signs purchases, in a file as Google Play or AppCoins hand it out.
///
/// Taken are PEM (`PUBLIC KEY` or `RSA PUBLIC KEY`, with any ends of lines), the same as a JSON string, one line of
/// base64 with or without quotes, and DER. AppCoins' own server answers with a JSON string.
enum PurchaseKeyFile {
    static let option = Option<String>.text(
        "--purchase-key", "FILE",
        "An RSA key that signs this app's purchases at Google Play or AppCoins: PEM, base64 or DER; all that are good, "
            + "for they replace those of before", isRepeatable: true)
    static let none = Flag("--no-purchase-keys", "Takes away all keys that sign purchases")

    /// SubjectPublicKeyInfo in DER, in base64.
    static func read(_ path: String) throws(ToolFailure) -> String {
        let bytes = try InputFile(path).whole(upTo: 1 << 16)
        do {
            // In DER it begins with a sequence; as a text that would be a digit, and no spelling of a key begins so.
            let der = bytes.first == 0x30 ? bytes : KeyText.decode(String(decoding: bytes, as: UTF8.self))
            guard let der else { throw unfit(path, "neither PEM nor base64") }
            let key = try PublicKey(der: der)
            guard key.algorithm == .rsa else { throw unfit(path, "it is of another kind than RSA") }
            guard key.bitCount >= 2048 else { throw unfit(path, "\(key.bitCount) bits are less than 2048") }
            return Base64.standard.encode(try key.der)
        } catch {
            throw error as? ToolFailure ?? unfit(path, "\(error)")
        }
    }

    private static func unfit(_ path: String, _ why: String) -> ToolFailure {
        ToolFailure(
            .failed, "\(path) is no key for purchases: \(why)",
            advice: "--purchase-key takes a public RSA key as PEM, base64 or DER, also as a JSON string")
    }
}
