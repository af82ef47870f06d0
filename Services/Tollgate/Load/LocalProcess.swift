internal import FoundationEssentials
internal import Glibc

/// A service of an installation on this host, by the file that has its number: one that may be killed for a test, and
/// everything that is needed to start it again as it was.
struct LocalProcess: Sendable {
    let name: String
    let id: pid_t
    private let file: String
    private let program: String
    private let arguments: [String]
    private let environment: [String]
    private let folder: String
    private let outputs: [String]

    /// Reads `<folder>/<name>`, and what the system says of that process (proc(5)).
    ///
    /// - Throws: ``ToolFailure`` unless it is a process of our own user that runs a program of that very name: a number in
    ///   a file may be somebody else's by now.
    init(_ name: String, in folder: String) throws {
        self.name = name
        file = "\(folder)/\(name)"
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let id = pid_t(text.filter { !$0.isWhitespace }), id > 1
        else {
            throw ToolFailure(
                .failed, "--kill \(name): \(file) has no number of a process",
                advice: "--pids names the folder where the installation keeps them; scripts/run has .tollgate/pids")
        }
        self.id = id
        var status = stat()
        guard stat("/proc/\(id)", &status) == 0 else {
            throw ToolFailure(.failed, "--kill \(name): no process \(id) runs")
        }
        // A program that was built anew meanwhile is shown as deleted.
        let link = Self.link("/proc/\(id)/exe") ?? ""
        program = link.hasSuffix(" (deleted)") ? String(link.dropLast(10)) : link
        guard status.st_uid == getuid(), program.hasSuffix("/\(name)") else {
            throw ToolFailure(.failed, "--kill \(name): process \(id) is no \(name) of ours, but \(program)")
        }
        arguments = Self.words("/proc/\(id)/cmdline")
        environment = Self.words("/proc/\(id)/environ")
        self.folder = Self.link("/proc/\(id)/cwd") ?? "/"
        outputs = ["1", "2"].map { Self.link("/proc/\(id)/fd/\($0)") ?? "/dev/null" }
    }

    /// Ends it at once, as a crash would.
    func kill() -> Bool { Glibc.kill(id, SIGKILL) == 0 }

    /// Starts it again: the same program, settings and folder; what it says goes behind what it has said. Its number goes
    /// into the file.
    ///
    /// - Throws: ``ToolFailure``.
    func startAgain() throws {
        Self.keepFilesToOurselves()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, path) in outputs.enumerated() {
            // What was no file (a pipe, a terminal) is not there for us.
            let path = path.hasPrefix("/") && !path.hasSuffix(" (deleted)") ? path : "/dev/null"
            posix_spawn_file_actions_addopen(&actions, Int32(number + 1), path, O_WRONLY | O_APPEND, 0)
        }
        // A shell, because posix_spawn(3) alone changes no folder; a session of its own, because Ctrl-C in our terminal
        // is not meant for it. Both make way for the program, which keeps their number.
        let words =
            ["sh", "-c", #"cd "$1" && shift && exec setsid "$@""#, "sh", folder, program] + arguments.dropFirst()
        var child = pid_t()
        let code = Self.withStrings(words) { words in
            Self.withStrings(environment) { environment in
                posix_spawn(&child, "/bin/sh", &actions, nil, words, environment)
            }
        }
        guard code == 0 else {
            throw ToolFailure(
                .failed, "\(name) was killed, and \(program) does not start: \(String(cString: strerror(code)))")
        }
        try "\(child)\n".write(toFile: file, atomically: true, encoding: .utf8)
    }

    /// What we have open ends with us: a service that had our connections and pipes would keep them open.
    private static func keepFilesToOurselves() {
        guard let folder = opendir("/proc/self/fd") else { return }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            // In its place: an entry is as long as its name, and a copy of it would read on behind the last one.
            guard let offset = MemoryLayout<dirent>.offset(of: \.d_name) else { return }
            let name = (UnsafeRawPointer(entry) + offset).assumingMemoryBound(to: CChar.self)
            if let number = Int32(String(cString: name)), number > 2 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
        }
    }

    private static func link(_ path: String) -> String? {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.baseAddress.map { readlink(path, $0, buffer.count) } ?? -1
        }
        return count > 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }

    private static func words(_ path: String) -> [String] {
        let bytes = (try? Data(contentsOf: URL(filePath: path))) ?? Data()
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func withStrings<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
