internal import Dispatch
internal import Glibc

/// The signals that ask a program to stop.
public enum Signals {
    /// Waits for the first SIGTERM or SIGINT; from this call on neither ends the process by itself. SIGPIPE is ignored.
    ///
    /// - Returns: its number; nil when the task was cancelled before one came.
    public static func firstToStop() async -> Int32? {
        signal(SIGPIPE, SIG_IGN)
        let (signals, arrived) = AsyncStream.makeStream(of: Int32.self)
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { arrived.yield(number) }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        var iterator = signals.makeAsyncIterator()
        return await iterator.next()
    }
}
