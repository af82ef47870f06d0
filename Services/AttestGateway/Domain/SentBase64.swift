internal import Crypto

/// Base64 as SDKs send it: of either alphabet, padded or not.
enum SentBase64 {
    /// The bytes that `text` stands for; nil where it is none, or longer than `limit` bytes of text.
    static func decode(_ text: String, limit: Int) -> [UInt8]? {
        guard text.utf8.count <= limit else { return nil }
        var characters = text.utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: character
            }
        }
        for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
        return Base64.url.decode(characters)
    }
}
