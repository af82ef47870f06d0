internal import Glibc

/// Why a store was not made or opened. None of these goes away by trying again; an operator decides.
public enum StoreRefusal: Error, Hashable, Sendable {
    /// There is no file. A store is only made on request: a host with an empty disk must not begin with amnesia.
    case storeMissing(path: String)
    /// There is a file already where one was to be made.
    case storeExists(path: String)
    /// The file is a database, but was not made by ``Database/create(at:as:schema:createdAt:configuration:)``.
    case notAStore(path: String)
    /// The file is damaged, or no database; with SQLite's words for it.
    case storeDamaged(path: String, words: String)
    /// The machine does not let it be opened: its disk is full, it may not be read; with SQLite's words for it.
    case storeUnusable(path: String, words: String)
    /// Another process (or another part of this one) has it open. `pid` is what the holder wrote into the lock file.
    case heldByAnotherProcess(path: String, pid: Int32?)
    /// It was made for another service, partition or number of partitions.
    case madeForAnother(path: String, found: StoreIdentity, expected: StoreIdentity)
    /// It has been opened by a newer program.
    case storeIsNewer(path: String, sequence: String, found: Int, known: Int)
    /// A migration that it has was edited since.
    case migrationChanged(path: String, sequence: String, version: Int)
    /// The file system said no: `errno` of the named call.
    case fileUnusable(path: String, call: String, errno: Int32)
    /// ``Database/close()`` has been called.
    case closed
}

extension StoreRefusal: CustomStringConvertible {
    /// One line for the operator.
    public var description: String {
        switch self {
        case .storeMissing(let path):
            "There is no store at \(path). Is the disk mounted? A new one is only made by `tollgate store create`."
        case .storeExists(let path):
            "There is a store at \(path) already."
        case .notAStore(let path):
            "\(path) is a database, but no store of ours."
        case .storeDamaged(let path, let words):
            "The store at \(path) is damaged, or was never one: \(words)."
        case .storeUnusable(let path, let words):
            "The store at \(path) cannot be opened: \(words). Is its disk full?"
        case .heldByAnotherProcess(let path, let pid):
            "The store at \(path) is in use by \(pid.map { "process \($0)" } ?? "another process")."
        case .madeForAnother(let path, let found, let expected):
            "The store at \(path) was made for \(found); this is \(expected)."
        case .storeIsNewer(let path, let sequence, let found, let known):
            "The store at \(path) is newer than this program: \(sequence) is at \(found), we know up to \(known)."
        case .migrationChanged(let path, let sequence, let version):
            "The store at \(path) was migrated by another text of \(sequence) \(version) than this program has."
        case .fileUnusable(let path, let call, let errno):
            "\(path): \(call): \(String(cString: strerror(errno)))"
        case .closed:
            "The store is closed."
        }
    }
}
