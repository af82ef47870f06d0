internal import Crypto
internal import Messages

extension DeviceKeyID {
    /// The name of the key with this SHA-256, as records and events have it.
    init(digest: [UInt8]) { self.init(rawValue: Base64.standard.encode(digest)) }

    /// The SHA-256 that it stands for, in whatever form it was sent; nil if it can be no key's.
    var digest: [UInt8]? {
        guard let bytes = SentBase64.decode(rawValue, limit: 256), bytes.count == 32 else { return nil }
        return bytes
    }
}
