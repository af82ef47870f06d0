internal import Glibc

// Signed texts are kilobytes long, and these run for each of them: the C library does it 16 and more bytes at a time.

extension [UInt8] {
    /// The first place of `byte` at or after `start`.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard start < count else { return nil }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, Int32(byte), count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }

    /// Whether these are the bytes of `other`.
    func isSame(as other: ArraySlice<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { mine in
            other.withUnsafeBytes { theirs in
                guard let mine = mine.baseAddress, let theirs = theirs.baseAddress else { return true }
                return memcmp(mine, theirs, count) == 0
            }
        }
    }
}

extension String? {
    /// Whether it is this text, byte for byte: the equality of strings takes different spellings of one letter for the
    /// same.
    func isSame(as other: String) -> Bool {
        map { $0.utf8.elementsEqual(other.utf8) } ?? false
    }
}
