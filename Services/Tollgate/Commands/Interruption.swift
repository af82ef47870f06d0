internal import Glibc
internal import ServiceKit

/// Ctrl-C, or SIGTERM, for a command that must not leave things half done.
enum Interruption {
    /// Runs `body` to its end; the first signal calls `stop`, the second ends the process at once.
    static func calling<Value: Sendable>(
        _ stop: @escaping @Sendable () -> Void, during body: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                guard await Signals.firstToStop() != nil else { return nil }
                for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
                stop()
                return nil
            }
            defer { group.cancelAll() }
            while let end = try await group.next() {
                if let end { return end }
            }
            throw CancellationError()
        }
    }
}
