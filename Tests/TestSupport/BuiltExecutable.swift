public import Foundation

/// A program of this package, as it was built beside the tests.
public struct BuiltExecutable: Sendable {
    /// Where it is.
    public let url: URL

    /// The executable `name` in the folder of the test bundle.
    public init(_ name: String) {
        let folder =
            Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
            ?? URL(fileURLWithPath: CommandLine.arguments[0])
        url = folder.deletingLastPathComponent().appendingPathComponent(name)
    }

    /// Any other program.
    public init(at path: String) { url = URL(fileURLWithPath: path) }

    /// The folder of the package.
    public static let packageFolder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What a program printed before it ended.
    public struct Output: Sendable {
        /// The exit status; for a signal its number.
        public let status: Int32
        /// Standard output.
        public let output: String
        /// Standard error.
        public let errors: String
    }

    /// Runs it to its end.
    ///
    /// - Parameter meanwhile: what is done to it while it runs.
    public func run(
        _ arguments: [String], environment: [String: String] = [:], in folder: URL? = nil,
        meanwhile: (RunningProgram) async -> Void = { _ in }
    ) async throws -> Output {
        let outputFile = try TemporaryFile()
        let errorFile = try TemporaryFile()
        let program = try RunningProgram(
            self, arguments, environment: environment, output: outputFile.handle, errors: errorFile.handle,
            in: folder)
        await meanwhile(program)
        let status = await program.exitStatus
        return Output(status: status, output: try outputFile.text, errors: try errorFile.text)
    }
}

/// A file that goes with its owner; output of children goes here, because a pipe may be held open by a grandchild.
private final class TemporaryFile {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tollgate-\(UUID().uuidString)")
    let handle: FileHandle

    init() throws {
        _ = FileManager.default.createFile(atPath: url.path, contents: nil, attributes: [.posixPermissions: 0o600])
        handle = try FileHandle(forWritingTo: url)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var text: String { get throws { String(decoding: try Data(contentsOf: url), as: UTF8.self) } }
}
