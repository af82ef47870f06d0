internal import Glibc

/// The right to open a store: an advisory lock on `<path>.lock`, which the kernel takes back when the process dies.
///
/// The file stays behind on release: removing it would let two processes lock two files of the same name.
public final class StoreLock: Sendable {
    private let file: Int32

    /// Takes the lock, or says who has it. Does not wait.
    ///
    /// - Throws: ``StoreRefusal/heldByAnotherProcess(path:pid:)`` or ``StoreRefusal/fileUnusable(path:call:errno:)``.
    public init(forStoreAt path: String) throws(StoreRefusal) {
        let name = path + ".lock"
        let file = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .fileUnusable(path: name, call: "open", errno: errno) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            defer { close(file) }
            guard reason == EWOULDBLOCK else { throw .fileUnusable(path: name, call: "flock", errno: reason) }
            throw .heldByAnotherProcess(path: path, pid: Self.holder(in: file))
        }
        // Only for the message that somebody else will get, so it does not matter whether it succeeds.
        let pid = "\(getpid())\n"
        _ = ftruncate(file, 0)
        _ = pwrite(file, pid, pid.utf8.count, 0)
        self.file = file
    }

    deinit {
        // Closing alone would leave it with a child that has been forked and has not begun its program yet.
        _ = flock(file, LOCK_UN)
        close(file)
    }

    private static func holder(in file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 0x0a }, as: UTF8.self))
    }
}
