internal import Synchronization

/// The numbers a program shows at `/metrics`, in Prometheus' text format 0.0.4.
///
/// Asking twice for the same name and labels gives the same instrument. Names end in their unit
/// (`_seconds`, `_bytes`) and counters in `_total`.
public final class MetricsRegistry: Sendable {
    private enum Instrument {
        case counter(Counter)
        case gauge(Gauge)
        case histogram(Histogram)
        case reading(@Sendable () -> Double)

        var type: String {
            switch self {
            case .counter: "counter"
            case .gauge, .reading: "gauge"
            case .histogram: "histogram"
            }
        }
    }
    private struct Family {
        let help: String
        let type: String
        var members: [String: Instrument] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// An empty registry.
    public init() {}

    /// The counter of this name and labels.
    public func counter(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Counter {
        let instrument = instrument(name, help, labels) { .counter(Counter()) }
        guard case .counter(let counter) = instrument else { preconditionFailure("\(name) is not a counter") }
        return counter
    }

    /// The gauge of this name and labels.
    public func gauge(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Gauge {
        let instrument = instrument(name, help, labels) { .gauge(Gauge()) }
        guard case .gauge(let gauge) = instrument else { preconditionFailure("\(name) is not a gauge") }
        return gauge
    }

    /// The histogram of this name and labels.
    public func histogram(_ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:]) -> Histogram {
        let instrument = instrument(name, help, labels) { .histogram(Histogram()) }
        guard case .histogram(let histogram) = instrument else { preconditionFailure("\(name) is not a histogram") }
        return histogram
    }

    /// A gauge that is read when somebody looks: for what changes by itself, such as an age. The last one counts that was
    /// given for its name and labels.
    public func reading(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String> = [:],
        _ read: @escaping @Sendable () -> Double
    ) {
        _ = instrument(name, help, labels, replacing: true) { .reading(read) }
    }

    private func instrument(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, String>, replacing: Bool = false,
        make: () -> Instrument
    ) -> Instrument {
        let key = labels.map { "\($0.key)=\"\(Self.escaped($0.value, quotes: true))\"" }.sorted().joined(separator: ",")
        return families.withLock { families in
            if !replacing, let known = families[name]?.members[key] { return known }
            let new = make()
            let family = families[name, default: Family(help: Self.escaped(help, quotes: false), type: new.type)]
            precondition(family.type == new.type, "\(name) is a \(family.type), not a \(new.type)")
            families[name, default: family].members[key] = new
            return new
        }
    }

    /// All instruments as text, names and labels in alphabetical order.
    public func render() -> String {
        families.withLock { families in
            var text = ""
            for (name, family) in families.sorted(by: { $0.key < $1.key }) {
                text += "# HELP \(name) \(family.help)\n# TYPE \(name) \(family.type)\n"
                for (labels, instrument) in family.members.sorted(by: { $0.key < $1.key }) {
                    Self.append(instrument, name: name, labels: labels, to: &text)
                }
            }
            return text
        }
    }

    private static func append(_ instrument: Instrument, name: String, labels: String, to text: inout String) {
        let braces = labels.isEmpty ? "" : "{\(labels)}"
        switch instrument {
        case .counter(let counter): text += "\(name)\(braces) \(counter.value)\n"
        case .reading(let read): text += "\(name)\(braces) \(read())\n"
        case .gauge(let gauge): text += "\(name)\(braces) \(gauge.value)\n"
        case .histogram(let histogram):
            let (counts, sum) = histogram.value
            let prefix = labels.isEmpty ? "" : labels + ","
            var total = 0
            for (bound, count) in zip(Histogram.bounds, counts) {
                total += count
                text += "\(name)_bucket{\(prefix)le=\"\(seconds(bound))\"} \(total)\n"
            }
            total += counts.last ?? 0
            text += "\(name)_bucket{\(prefix)le=\"+Inf\"} \(total)\n"
            text += "\(name)_sum\(braces) \(seconds(sum))\n\(name)_count\(braces) \(total)\n"
        }
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    /// By scalars: a line feed behind a carriage return is no `Character` of its own.
    private static func escaped(_ raw: String, quotes: Bool) -> String {
        var text = String.UnicodeScalarView()
        for scalar in raw.unicodeScalars {
            switch scalar {
            case "\\": text.append(contentsOf: "\\\\".unicodeScalars)
            case "\"" where quotes: text.append(contentsOf: "\\\"".unicodeScalars)
            case "\n": text.append(contentsOf: "\\n".unicodeScalars)
            default: text.append(scalar)
            }
        }
        return String(text)
    }
}
