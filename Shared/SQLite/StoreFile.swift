internal import Glibc

/// A store's files, as the file system sees them.
struct StoreFile {
    let path: String

    var exists: Bool { access(path, F_OK) == 0 }

    /// Makes an empty file that only its owner can read. SQLite gives `-wal` and `-shm` the same mode.
    func create() throws(StoreRefusal) {
        let file = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw errno == EEXIST ? .storeExists(path: path) : refusal("open") }
        // Whatever the umask took away is ours again.
        defer { close(file) }
        guard fchmod(file, 0o600) == 0 else { throw refusal("fchmod") }
    }

    /// Takes everyone else's permissions away, which a copy restored from a backup often has.
    func makePrivate() throws(StoreRefusal) {
        for name in [path, path + "-wal", path + "-shm"] {
            var status = stat()
            guard stat(name, &status) == 0 else {
                if errno == ENOENT { continue }
                throw refusal("stat")
            }
            // A path that leads to a device by mistake must not shut everybody out of the device.
            guard status.st_mode & S_IFMT == S_IFREG else { throw .notAStore(path: name) }
            guard chmod(name, 0o600) == 0 else { throw refusal("chmod") }
        }
    }

    /// Puts the file in its place, for good: both it and its name survive a power cut.
    func move(to destination: String) throws(StoreRefusal) {
        try synchronise(path)
        // Unlike rename(2), link(2) never replaces a file that is there.
        guard link(path, destination) == 0 else {
            throw errno == EEXIST ? .storeExists(path: destination) : refusal("link")
        }
        guard unlink(path) == 0 else { throw refusal("unlink") }
        let end = destination.lastIndex(of: "/")
        try synchronise(end.map { String(destination[...$0]) } ?? ".")
    }

    /// Removes it and what SQLite left beside it.
    func remove() throws(StoreRefusal) {
        for name in [path, path + "-wal", path + "-shm", path + "-journal"] {
            guard unlink(name) == 0 || errno == ENOENT else { throw refusal("unlink") }
        }
    }

    private func synchronise(_ name: String) throws(StoreRefusal) {
        let file = open(name, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw refusal("open") }
        defer { close(file) }
        guard fsync(file) == 0 else { throw refusal("fsync") }
    }

    private func refusal(_ call: String) -> StoreRefusal { .fileUnusable(path: path, call: call, errno: errno) }
}
