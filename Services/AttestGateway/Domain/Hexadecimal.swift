internal import Crypto

extension UInt8 {
    /// Two lower-case digits.
    var hexadecimal: [UInt8] { [Self.digit(self >> 4), Self.digit(self & 0x0F)] }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}

extension Digest {
    /// SHA-256 as 64 lower-case hexadecimal digits: how artifacts and server keys are named.
    static func sha256Hexadecimal(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: sha256(bytes).flatMap(\.hexadecimal), as: UTF8.self)
    }
}
