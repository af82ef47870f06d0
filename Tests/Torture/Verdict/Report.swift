import Foundation

/// What was done, and what is wrong.
struct Report: Encodable {
    var command: String
    var seed: UInt64
    var seconds: Int
    var steps: [String: Int]
    var disturbances: [String: Int]
    var faults: [String: Int]
    var events: [String: Int]
    var eventsSentAgain: Int
    /// Events that came in another order than they were stored: after a failure they may.
    var eventsOutOfOrder: Int
    var secondApplications: Int?
    /// What there was in the end, and was compared with the run without faults.
    var compared: [String: Int]
    /// What was not done, and why.
    var notDone: [String]
    var wrong: [String]

    var text: String {
        func list(_ title: String, _ counts: [String: Int]) -> [String] {
            counts.isEmpty
                ? []
                : ["", title]
                    + counts.sorted { $0.key < $1.key }.map { name, count in
                        String(repeating: " ", count: max(1, 8 - String(count).count)) + "\(count)  \(name)"
                    }
        }
        var lines = ["torture: seed \(seed), \(seconds) s"]
        lines += list("load, as often as it was played to its end", steps)
        lines += list("what was done to it", disturbances)
        lines += list("faults", faults)
        lines += list("events of services", events)
        lines += list("what both have come to, and was compared", compared)
        lines += [
            "",
            "  \(eventsSentAgain) of them sent again under the same id, \(eventsOutOfOrder) in another order than stored",
            "  \(secondApplications.map(String.init) ?? "unknown") second applications",
        ]
        lines += notDone.map { "  not done: \($0)" }
        lines.append("")
        if wrong.isEmpty {
            lines.append("nothing lost, nothing twice: the end is that of the run without faults")
        } else {
            lines.append("WRONG (\(wrong.count)):")
            lines += wrong.prefix(100).map { "  * \($0)" }
            if wrong.count > 100 { lines.append("  … and \(wrong.count - 100) more") }
            lines += ["", "again: \(command)"]
        }
        return lines.joined(separator: "\n")
    }
}
