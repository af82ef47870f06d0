import Foundation
import ServiceKit
import Synchronization
import Testing

@Suite("Logger")
struct LoggerTests {
    /// Keeps what is written.
    final class Lines: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func logger(_ least: Logger.Level = .debug) -> Logger {
            Logger(service: "tester", least: least) { line in self.texts.withLock { $0.append(line) } }
        }
        /// The only line, read as JSON.
        func object() throws -> [String: Any] {
            let line = try #require(all.first)
            #expect(all.count == 1 && line.hasSuffix("}\n") && !line.dropLast().contains { $0.isNewline })
            return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    static let hostile = [
        "", "plain", "\"quoted\" \\ and \\\" \\u0041", String(UnicodeScalar(0)),
        String(String.UnicodeScalarView((0...0x20).compactMap(UnicodeScalar.init))),
        "line\nline\r\nline\u{85}line\u{2028}line\u{2029}", "\u{7F}\u{80}\u{9F}", "e\u{301}👩‍👩‍👧‍👦\u{10FFFF}\u{FFFE}\u{FEFF}",
        String(decoding: [0xED, 0xA0, 0x80, 0xFF, 0xC0, 0xAF, 0x22], as: UTF8.self), "\u{1B}[31mred\u{1B}[0m",
        "\",\"level\":\"error", "}\n{\"level\":\"error\"}",
    ]

    @Test("A line is one JSON object, whatever the text in it", arguments: hostile)
    func escaping(text: String) throws {
        let lines = Lines()

        lines.logger().with(text + "-name", .string(text)).warning(text, ["field": .string(text)])

        let object = try lines.object()
        #expect(object["message"] as? String == text)
        #expect(object["field"] as? String == text)
        #expect(object[text + "-name"] as? String == text)
        #expect(object["level"] as? String == "warning")
        #expect(object["service"] as? String == "tester")
        #expect(object["trace_id"] == nil)
    }

    @Test("A long text is cut, and the line stays JSON", arguments: ["x", "\"", "\u{1}", "é", "👋"])
    func long(unit: String) throws {
        let lines = Lines()

        lines.logger().error(String(repeating: unit, count: 10_240))

        #expect(try lines.object()["message"] as? String == String(repeating: unit, count: 4096) + "…")
    }

    @Test("Numbers and flags are JSON too, also those that JSON has no text for")
    func values() throws {
        let lines = Lines()

        lines.logger().info(
            "numbers",
            [
                "least": .integer(.min), "greatest": .integer(.max), "half": .double(0.5),
                "tiny": .double(.leastNonzeroMagnitude),
                "huge": .double(1.7e308), "nan": .double(.nan), "infinite": .double(.infinity), "yes": true,
                "duration": .milliseconds(.microseconds(1500)), "negative": .milliseconds(.microseconds(-1500)),
            ])

        let object = try lines.object()
        #expect(object["least"] as? Int == .min)
        #expect(object["greatest"] as? Int == .max)
        #expect(object["half"] as? Double == 0.5)
        #expect(object["tiny"] as? Double == .leastNonzeroMagnitude)
        #expect(object["huge"] as? Double == 1.7e308)
        #expect(object["nan"] is NSNull)
        #expect(object["infinite"] is NSNull)
        #expect(object["yes"] as? Bool == true)
        #expect(object["duration"] as? Double == 1.5)
        #expect(object["negative"] as? Double == -1.5)
    }

    @Test("Lines below the level are not written", arguments: Logger.Level.allCases)
    func level(least: Logger.Level) throws {
        let lines = Lines()
        let logger = lines.logger(least)

        logger.debug("debug")
        logger.info("info")
        logger.warning("warning")
        logger.error("error")

        let written = try lines.all.map {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.map { $0?["message"] as? String }
        #expect(written == Logger.Level.allCases.filter { $0 >= least }.map { "\($0)" })
    }

    @Test("A line says when it was written, and to which request it belongs")
    func timeAndTrace() throws {
        let lines = Lines()
        let trace = TraceContext()
        let before = Date()

        TraceContext.$current.withValue(trace) { lines.logger().info("traced") }

        let object = try lines.object()
        #expect(object["trace_id"] as? String == trace.traceID)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let time = try style.parse(try #require(object["time"] as? String))
        #expect(abs(time.timeIntervalSince(before)) < 60)
    }
}
