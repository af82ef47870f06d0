internal import FoundationEssentials
internal import Glibc
internal import JSON
package import Messages
internal import ServiceKit

/// The registry's last known state on disk, so that an edge can start while the registry is away.
///
/// It holds digests of server keys: readable by its owner alone. It is replaced whole or not at all.
package actor SnapshotFile {
    private let folder: String
    private let path: String
    private let executor = BlockingExecutor(label: "snapshot file")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private struct Content: Codable {
        var savedAt: Timestamp
        var snapshot: RegistrySnapshot.Value
    }

    /// - Parameter folder: where the service keeps its stores.
    package init(in folder: String) {
        self.folder = folder
        path = folder + "/registry-snapshot.json"
    }

    /// What is there; nil where there is nothing.
    ///
    /// - Throws: when the file cannot be read, or is none of ours.
    package func load() throws -> RegistrySnapshot.Value? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = Array(try Data(contentsOf: URL(filePath: path)))
        return try JSONCoding.decode(Content.self, from: bytes, limits: JSONLimits(bytes: bytes.count)).snapshot
    }

    /// Writes `snapshot` beside the old one, forces it to disk, and puts it in its place; makes the folder, because an
    /// edge without a registry has no store that somebody would have made.
    package func save(_ snapshot: RegistrySnapshot.Value, at time: Timestamp) throws {
        let bytes = try JSONCoding.encode(Content(savedAt: time, snapshot: snapshot))
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        // Several edges may share the folder.
        let draft = "\(path).\(getpid())"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw SnapshotFileError("open", draft) }
        do {
            defer { close(file) }
            // The mode of an old draft would have stayed.
            guard fchmod(file, 0o600) == 0 else { throw SnapshotFileError("fchmod", draft) }
            try Self.write(bytes, to: file, draft)
            guard fsync(file) == 0 else { throw SnapshotFileError("fsync", draft) }
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else { throw SnapshotFileError("rename", path) }
    }

    private static func write(_ bytes: [UInt8], to file: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw SnapshotFileError("write", path) }
            rest = rest.dropFirst(written)
        }
    }
}

/// What the system did not do with the file.
package struct SnapshotFileError: Error, CustomStringConvertible {
    package let description: String

    init(_ call: String, _ path: String) { description = "\(call) \(path): errno \(errno)" }
}
