internal import Glibc

/// A file for its owner alone.
enum PrivateFile {
    /// Writes the file at `path` anew, with mode 0600; there at once or not at all.
    ///
    /// - Throws: ``ToolFailure``.
    static func write(_ text: String, to path: String) throws(ToolFailure) {
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure(draft) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { break }
            rest = rest.dropFirst(count)
        }
        let isWritten = rest.isEmpty && fsync(file) == 0
        close(file)
        guard isWritten, rename(draft, path) == 0 else {
            let failure = failure(path)
            unlink(draft)
            throw failure
        }
    }

    private static func failure(_ path: String) -> ToolFailure {
        ToolFailure(.failed, "cannot write \(path): \(String(cString: strerror(errno)))")
    }
}
