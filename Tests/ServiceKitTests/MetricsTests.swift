import ServiceKit
import Testing

@Suite("Metrics")
struct MetricsTests {
    let metrics = MetricsRegistry()

    @Test("What is rendered is read back by the rules of the format, whatever a label says")
    func roundTrip() throws {
        let hostile = ["plain", "", "\"", "\\", "\n", "\r\n", "a\\nb", "}", "a=\"b\",c", "é👋", "\u{0}", " # HELP x"]
        for (index, label) in hostile.enumerated() {
            metrics.counter("t_total", "Things\nwith \\ a \"line\"", ["l": label, "other": "x"]).add(index + 1)
        }
        metrics.gauge("t_level", "Level").set(-3)

        let samples = try Exposition.read(metrics.render())

        for (index, label) in hostile.enumerated() {
            #expect(samples[Exposition.Series("t_total", ["l": label, "other": "x"])] == Double(index + 1))
        }
        #expect(samples[Exposition.Series("t_level", [:])] == -3)
        #expect(samples.count == hostile.count + 1)
    }

    @Test("A histogram's buckets are cumulative, and end with all")
    func histogram() throws {
        let histogram = metrics.histogram("t_seconds", "Time", ["route": "a"])
        let durations: [Duration] = [
            .zero, .milliseconds(1), .milliseconds(1) + .nanoseconds(1), .milliseconds(10), .seconds(10), .seconds(11),
        ]

        for duration in durations { histogram.record(duration) }

        let samples = try Exposition.read(metrics.render())
        let buckets = Dictionary(
            uniqueKeysWithValues: samples.compactMap { series, value in
                series.name == "t_seconds_bucket" ? series.labels["le"].map { ($0, value) } : nil
            })
        let bounds = try buckets.keys.map { try #require(Double($0 == "+Inf" ? "inf" : $0)) }.sorted()
        #expect(bounds.count == Histogram.bounds.count + 1)
        for (text, count) in buckets {
            let bound = try #require(Double(text == "+Inf" ? "inf" : text))
            #expect(count == Double(durations.filter { $0 / .seconds(1) <= bound }.count), "le \(text)")
        }
        #expect(samples[Exposition.Series("t_seconds_count", ["route": "a"])] == 6)
        let sum = try #require(samples[Exposition.Series("t_seconds_sum", ["route": "a"])])
        #expect(abs(sum - 21.012) < 1e-6)
    }

    @Test("The same name and labels are the same instrument, in whatever order the labels stand")
    func identity() {
        let one = metrics.counter("t_total", "Things", ["a": "1", "b": "2"])
        let same = metrics.counter("t_total", "Things", ["b": "2", "a": "1"])
        let other = metrics.counter("t_total", "Things", ["a": "2", "b": "1"])

        #expect(one === same)
        #expect(one !== other)
        one.add(2)
        one.add()
        #expect(same.value == 3)
    }

    @Test("A reading is taken when somebody looks; the last one counts that was given")
    func reading() {
        let metrics = MetricsRegistry()
        let gauge = metrics.gauge("source", "What is read")
        metrics.reading("age_seconds", "Read", ["partition": "0"]) { -1 }
        metrics.reading("age_seconds", "Read", ["partition": "0"]) { Double(gauge.value) / 2 }

        gauge.set(3)

        let lines = metrics.render().split(separator: "\n")
        #expect(lines.contains("# TYPE age_seconds gauge"))
        #expect(lines.filter { $0.hasPrefix("age_seconds{") } == [#"age_seconds{partition="0"} 1.5"#])
    }

    @Test("One name is one type: using it for another is our own mistake")
    func types() async {
        await #expect(processExitsWith: .failure) {
            let metrics = MetricsRegistry()
            _ = metrics.counter("t_total", "Things", ["a": "1"])
            _ = metrics.gauge("t_total", "Things", ["a": "2"])
        }
    }

    @Test("Additions from many tasks all count")
    func concurrency() async {
        let counter = metrics.counter("t_total", "Things")
        let histogram = metrics.histogram("t_seconds", "Time")

        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 {
                        counter.add()
                        histogram.record(.milliseconds(3))
                    }
                }
            }
        }

        #expect(counter.value == 8000)
        #expect(histogram.value.counts.reduce(0, +) == 8000)
        #expect(histogram.value.sum == .seconds(24))
    }
}

/// A reader of Prometheus' text format 0.0.4, as far as we write it.
enum Exposition {
    struct Series: Hashable {
        let name: String
        let labels: [String: String]
        init(_ name: String, _ labels: [String: String]) {
            self.name = name
            self.labels = labels
        }
    }
    struct Unreadable: Error { let line: String }

    static func read(_ text: String) throws -> [Series: Double] {
        var samples: [Series: Double] = [:]
        var types: [String: String] = [:]
        guard text.unicodeScalars.last == "\n" else { throw Unreadable(line: "no line feed at the end") }
        for scalars in text.unicodeScalars.split(separator: "\n") {
            let line = String(String.UnicodeScalarView(scalars))
            if line.hasPrefix("# HELP ") { continue }
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                guard words.count == 4, ["counter", "gauge", "histogram"].contains(words[3]),
                    types.updateValue(String(words[3]), forKey: String(words[2])) == nil
                else { throw Unreadable(line: line) }
                continue
            }
            let (series, value) = try sample(line)
            guard samples.updateValue(value, forKey: series) == nil else { throw Unreadable(line: "twice: \(line)") }
        }
        return samples
    }

    private static func sample(_ line: String) throws -> (Series, Double) {
        var rest = line.unicodeScalars[...]
        func fail() -> Unreadable { Unreadable(line: line) }
        func word() throws -> String {
            let word = rest.prefix { ("a"..."z").contains($0) || $0 == "_" }
            guard !word.isEmpty else { throw fail() }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        let name = try word()
        var labels: [String: String] = [:]
        if rest.first == "{" {
            repeat {
                rest.removeFirst()
                let label = try word()
                guard rest.starts(with: "=\"".unicodeScalars) else { throw fail() }
                rest = rest.dropFirst(2)
                var value = String.UnicodeScalarView()
                while let scalar = rest.popFirst(), scalar != "\"" {
                    guard scalar == "\\" else {
                        value.append(scalar)
                        continue
                    }
                    switch rest.popFirst() {
                    case "n": value.append("\n")
                    case "\\": value.append("\\")
                    case "\"": value.append("\"")
                    default: throw fail()
                    }
                }
                labels[label] = String(value)
            } while rest.first == ","
            guard rest.popFirst() == "}" else { throw fail() }
        }
        guard rest.popFirst() == " ", let number = Double(String(rest)) else { throw fail() }
        return (Series(name, labels), number)
    }
}
