import CLinux
public import Foundation
import Synchronization

/// A program that runs beside the test.
///
/// By posix_spawn(3): on Linux, Foundation's `Process` looks for open files by copying 256 bytes of each entry of a folder,
/// whatever its length, and now and then reads past the end of them. Who starts a thousand programs dies of it.
public final class RunningProgram: Sendable {
    private let processIdentifier: pid_t
    private let end: Task<Int32, Never>
    private let isRunning = Running()

    private final class Running: Sendable {
        let value = Atomic(true)
    }

    /// Starts it, with `environment` in addition to the test's own, and with no other open files than these.
    public init(
        _ executable: BuiltExecutable, _ arguments: [String] = [], environment: [String: String] = [:],
        output: FileHandle, errors: FileHandle, in folder: URL? = nil
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.fileDescriptor, 1)
        posix_spawn_file_actions_adddup2(&actions, errors.fileDescriptor, 2)
        posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        if let folder { posix_spawn_file_actions_addchdir_np(&actions, folder.path) }
        // In a group of its own: Ctrl-C is for the test, which ends what it has started.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))

        let environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.merging(environment) { $1 }
        let path = executable.url.path
        var child: pid_t = 0
        let code = withWords([path] + arguments) { arguments in
            withWords(environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&child, path, &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw TestFailure("\(path) cannot be started: \(String(cString: strerror(code)))") }
        processIdentifier = child
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        Thread.detachNewThread { [isRunning, child] in
            // Its number is its own until it is waited for, and then nobody sends it a signal any more.
            var information = siginfo_t()
            while waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
            isRunning.value.store(false, ordering: .sequentiallyConsistent)
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            ended.yield(status & 0x7F == 0 ? status >> 8 & 0xFF : status & 0x7F)
        }
        end = Task {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? -1
        }
    }

    deinit { signal(SIGKILL) }

    /// Its number.
    public var pid: Int32 { processIdentifier }

    /// Sends a signal.
    public func signal(_ number: Int32) {
        // Its number may be somebody else's once it has ended.
        if !hasEnded { kill(processIdentifier, number) }
    }

    /// Whether it has ended.
    public var hasEnded: Bool { !isRunning.value.load(ordering: .sequentiallyConsistent) }

    /// Waits for its end: exit status, or the signal's number.
    public var exitStatus: Int32 { get async { await end.value } }
}

/// Calls `body` with the words as C has them: a list of texts that ends with nothing.
private func withWords<Result>(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
    let copies = words.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
}
