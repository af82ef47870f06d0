internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Writes one JSON object a line: `time`, `level`, `message`, `service`, `trace_id` where there is one, then the fields.
///
/// Lines of several threads do not mix. Give it no receipts, tokens or bound values.
public struct Logger: Sendable {
    /// How much a line matters.
    public enum Level: Int, Sendable, CaseIterable, Comparable {
        /// For whoever hunts a fault.
        case debug
        /// What happened, once per change of state.
        case info
        /// Something is not as it should be, and the program copes.
        case warning
        /// Somebody has to do something.
        case error

        /// By weight.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    private let least: Level
    private let fields: [(String, LogValue)]
    private let write: @Sendable (String) -> Void

    /// - Parameters:
    ///   - service: who speaks.
    ///   - least: lines below this level are not written.
    ///   - write: takes each whole line with its line feed; standard error unless given.
    public init(
        service: String, least: Level = .info, write: @escaping @Sendable (String) -> Void = Logger.standardError
    ) {
        self.init(least: least, fields: [("service", .string(service))], write: write)
    }

    private init(least: Level, fields: [(String, LogValue)], write: @escaping @Sendable (String) -> Void) {
        self.least = least
        self.fields = fields
        self.write = write
    }

    /// The same logger, saying `value` under `name` in every line.
    public func with(_ name: String, _ value: LogValue) -> Logger {
        Logger(least: least, fields: fields + [(name, value)], write: write)
    }

    /// For whoever hunts a fault.
    public func debug(_ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.debug, message, fields)
    }
    /// What happened.
    public func info(_ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.info, message, fields)
    }
    /// The program copes, but somebody may want to know.
    public func warning(_ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.warning, message, fields)
    }
    /// Somebody has to do something.
    public func error(_ message: String, _ fields: KeyValuePairs<String, LogValue> = [:]) {
        log(.error, message, fields)
    }

    private func log(_ level: Level, _ message: String, _ more: KeyValuePairs<String, LogValue>) {
        guard level >= least else { return }
        var line = "{\"time\":\""
        line += Date.now.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        line += "\",\"level\":\"\(level)\",\"message\":"
        LogValue.append(quoted: message, to: &line)
        if let trace = TraceContext.current {
            line += ",\"trace_id\":\"\(trace.traceID)\""
        }
        for (name, value) in fields { Self.append(name, value, to: &line) }
        for (name, value) in more { Self.append(name, value, to: &line) }
        line += "}\n"
        write(line)
    }

    private static func append(_ name: String, _ value: LogValue, to line: inout String) {
        line += ","
        LogValue.append(quoted: name, to: &line)
        line += ":"
        value.append(to: &line)
    }

    /// Writes a whole line to standard error, one thread at a time: beyond 4,096 bytes a pipe mixes what several write
    /// (pipe(7)).
    public static let standardError: @Sendable (String) -> Void = { line in
        var line = line
        line.withUTF8 { bytes in
            turn.withLock { _ in
                var rest = bytes[...]
                while !rest.isEmpty {
                    let written = Glibc.write(2, UnsafeBufferPointer(rebasing: rest).baseAddress, rest.count)
                    // What cannot be written is lost: there is nobody to tell.
                    guard written > 0 || (written < 0 && errno == EINTR) else { return }
                    rest = rest.dropFirst(max(0, written))
                }
            }
        }
    }

    private static let turn = Mutex(())
}
