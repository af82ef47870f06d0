extension Collection<UInt8> {
    /// Two lower-case digits a byte: how digests are written in ids, in names and on a screen.
    public var hexadecimal: String {
        String(unsafeUninitializedCapacity: count * 2) { buffer in
            var end = 0
            for byte in self {
                buffer[end] = digit(byte >> 4)
                buffer[end + 1] = digit(byte & 0xF)
                end += 2
            }
            return end
        }
    }
}

private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}
