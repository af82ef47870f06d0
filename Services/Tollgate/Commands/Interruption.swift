internal import Glibc
internal import ServiceKit

/// Ctrl-C, or SIGTERM, for a command that must not leave things half done.
enum Interruption {
    /// Runs `body`; when a signal asks for the end, cancels it and waits until it has put right what it has to. A second
    /// signal ends the process at once.
    ///
    /// - Throws: ``ToolFailure`` after a signal.
    static func ending<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                _ = await Signals.firstToStop()
                return nil
            }
            defer { group.cancelAll() }
            if let value = try await group.next() ?? nil { return value }
            for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
            group.cancelAll()
            _ = try? await group.next()
            throw ToolFailure(.failed, "interrupted: there is no verdict")
        }
    }
}
