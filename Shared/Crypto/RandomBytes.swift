internal import COpenSSL

/// Bytes that nobody can foresee.
public enum RandomBytes {
    /// Makes `count` bytes with OpenSSL's generator, seeded by the system.
    ///
    /// Ends the process when the system has no randomness: predictable keys and tokens would be worse.
    public static func make(_ count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            precondition(RAND_bytes(buffer.baseAddress, Int32(count)) == 1, "RAND_bytes: no randomness")
            written = count
        }
    }
}
