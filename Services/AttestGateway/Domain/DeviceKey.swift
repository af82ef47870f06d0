internal import Crypto
internal import Messages

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

extension DeviceKeyID {
    /// The name of the key with this SHA-256, as records and events have it.
    init(digest: [UInt8]) { self.init(rawValue: Base64.standard.encode(digest)) }

    /// The SHA-256 that it stands for, in whatever form it was sent; nil if it can be no key's.
    var digest: [UInt8]? {
        guard let bytes = SentBase64.decode(rawValue, limit: 256), bytes.count == 32 else { return nil }
        return bytes
    }
}
