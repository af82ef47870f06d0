/// Base64 that takes one text for each value: no white space, no missing or surplus padding, no stray bits.
///
/// A lax reader would accept many texts for one signature, and so many names for one artifact.
public struct Base64: Sendable {
    /// RFC 4648 § 4 with padding, as in certificates of an `x5c` header.
    public static let standard = Base64(lastCharacters: "+/", isPadded: true)
    /// RFC 4648 § 5 without padding, as in a JWS.
    public static let url = Base64(lastCharacters: "-_", isPadded: false)

    private let alphabet: [UInt8]
    /// The value of each byte; 0x80 for those outside the alphabet.
    private let values: [UInt8]
    private let isPadded: Bool

    private init(lastCharacters: String, isPadded: Bool) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789\(lastCharacters)".utf8)
        var values = [UInt8](repeating: 0x80, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        self.alphabet = alphabet
        self.values = values
        self.isPadded = isPadded
    }

    /// The bytes that `text` stands for; `nil` if it is not exactly what ``encode(_:)`` would have written.
    public func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        text.withBytes { characters in
            var count = characters.count
            if isPadded {
                guard count.isMultiple(of: 4) else { return nil }
                for _ in 0..<2 where count > 0 && characters[count - 1] == UInt8(ascii: "=") { count -= 1 }
            }
            // One character carries six bits, less than a byte.
            guard count % 4 != 1 else { return nil }
            return decode(UnsafeBufferPointer(rebasing: characters[..<count]))
        }
    }

    private func decode(_ characters: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let groups = characters.count / 4
        let rest = characters.count % 4
        var faults: UInt8 = 0
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: groups * 3 + max(0, rest - 1)) { bytes, written in
                func value(_ index: Int) -> UInt32 {
                    let value = values[Int(characters[index])]
                    faults |= value
                    return UInt32(value)
                }
                for group in 0..<groups {
                    let i = group * 4
                    let bits = value(i) << 18 | value(i + 1) << 12 | value(i + 2) << 6 | value(i + 3)
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> 16)
                    bytes[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
                    bytes[written + 2] = UInt8(truncatingIfNeeded: bits)
                    written += 3
                }
                guard rest > 0 else { return }
                let i = groups * 4
                let bits = value(i) << 12 | value(i + 1) << 6 | (rest == 3 ? value(i + 2) : 0)
                bytes[written] = UInt8(truncatingIfNeeded: bits >> 10)
                written += 1
                if rest == 3 {
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> 2)
                    written += 1
                }
                // The bits that do not reach a whole byte have to be zero.
                if bits & (rest == 3 ? 0x3 : 0x3FF) != 0 { faults |= 0x80 }
            }
        }
        return faults & 0x80 == 0 ? bytes : nil
    }

    /// The one text for these bytes.
    public func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var pending = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            pending += 8
            while pending >= 6 {
                pending -= 6
                text.append(alphabet[Int(bits >> UInt32(pending)) & 0x3F])
            }
        }
        if pending > 0 { text.append(alphabet[Int(bits << UInt32(6 - pending)) & 0x3F]) }
        if isPadded { while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) } }
        return String(decoding: text, as: UTF8.self)
    }
}
