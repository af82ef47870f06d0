package import Foundation

/// A file system of a few megabytes. Blocks of 4 KiB: with smaller ones a database in WAL mode ends by SIGBUS.
package struct SmallDisk: Sendable {
    package let folder: URL
    private let image: URL

    package static func mount(at folder: URL, megabytes: Int) async throws -> SmallDisk {
        let disk = SmallDisk(folder: folder, image: folder.appendingPathExtension("image"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: disk.image.path, contents: nil)
        // With holes: what is not used takes no room.
        try FileHandle(forWritingTo: disk.image).truncate(atOffset: UInt64(megabytes) << 20)
        for command in [
            ["/usr/sbin/mkfs.ext4", "-q", "-b", "4096", "-O", "^has_journal", disk.image.path],
            ["/usr/bin/mount", "-o", "loop", disk.image.path, folder.path],
        ] {
            let output = try await BuiltExecutable(at: command[0]).run(Array(command.dropFirst()))
            guard output.status == 0 else { throw TestFailure("\(command): \(output.errors)") }
        }
        return disk
    }

    private var ballast: URL { folder.appendingPathComponent("ballast") }

    package func fill() throws {
        _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
        let file = try FileHandle(forWritingTo: ballast)
        // Reserved and not written: a larger disk is full as soon.
        var end: off_t = 0
        for size: off_t in [64 << 20, 1 << 20] {
            while posix_fallocate(file.fileDescriptor, end, size) == 0 { end += size }
        }
        try file.seekToEnd()
        for size in [1 << 16, 1 << 12] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
        try? file.close()
    }

    package func makeSpace() throws { try FileManager.default.removeItem(at: ballast) }

    package func unmount() async { _ = try? await BuiltExecutable(at: "/usr/bin/umount").run([folder.path]) }
}
