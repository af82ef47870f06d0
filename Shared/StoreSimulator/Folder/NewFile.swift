internal import Glibc

/// A file that was not there before.
enum NewFile {
    /// Writes it without waiting for the disk, as Foundation would for each of hundreds: what is lost can be made again.
    ///
    /// - Returns: Whether it was done; if not, `errno` says why.
    static func write(_ bytes: [UInt8], to path: String, permissions: mode_t) -> Bool {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard file >= 0 else { return false }
        defer { close(file) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
