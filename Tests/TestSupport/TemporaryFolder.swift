package import Foundation

/// A folder that goes with its owner.
package final class TemporaryFolder: Sendable {
    package let url = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-\(UUID().uuidString)")
    package var path: String { url.path }

    /// Makes it. Where that fails, so does whatever is written into it.
    package init() { try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file into it, and returns the file's path.
    package func write(_ bytes: some Sequence<UInt8>, to name: String = UUID().uuidString) throws -> String {
        let file = url.appendingPathComponent(name)
        try Data(bytes).write(to: file)
        return file.path
    }

    /// Writes a text file into it, and returns the file's path.
    package func write(_ text: String, to name: String = UUID().uuidString) throws -> String {
        try write(text.utf8, to: name)
    }
}
