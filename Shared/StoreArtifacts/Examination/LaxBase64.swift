/// Base64 as people and programs hand it on: either alphabet, white space anywhere, padding or none.
///
/// For finding artifacts only. What is signed, and signatures, are read by the strict `Base64`.
enum LaxBase64 {
    /// 0…63; 0x40 for white space and padding; 0x80 for what is in no alphabet.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0x80, count: 256)
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        for (value, character) in letters.utf8.enumerated() { values[Int(character)] = UInt8(value) }
        for character in "+-".utf8 { values[Int(character)] = 62 }
        for character in "/_".utf8 { values[Int(character)] = 63 }
        for character in " \t\r\n=".utf8 { values[Int(character)] = 0x40 }
        return values
    }()

    /// The bytes that `text` stands for; `nil` for what is not Base64, and for nothing.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3 + 3)
        var bits: UInt32 = 0
        var pending = 0
        for character in text {
            let value = values[Int(character)]
            if value == 0x40 { continue }
            guard value < 0x40 else { return nil }
            bits = bits << 6 | UInt32(value)
            pending += 6
            if pending >= 8 {
                pending -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
            }
        }
        // Six bits that are left over are a character too many.
        return pending == 6 || bytes.isEmpty ? nil : bytes
    }
}
