/// What a run is told.
struct Options {
    /// How long all of it takes, about.
    var minutes = 3.0
    var seed: UInt64
    var lines: Int?
    /// Of how many nodes the broker is a cluster, in the run with faults.
    var nodes = 1
    var isJSON = false
    var logFolder: String?

    static let usage = """
        usage: scripts/torture [--minutes M] [--seed S] [--lines N] [--cluster N] [--logs DIR] [--json]
        scripts/torture --help says what each of them does
        """

    /// - Returns: nil where the usage is to be shown.
    init?(_ arguments: [String]) {
        seed = UInt64.random(in: 1...999_999)
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--json": isJSON = true
            case "--cluster":
                guard let text = rest.popFirst(), let number = Int(text), (2...5).contains(number) else { return nil }
                nodes = number
            case "--logs":
                guard let text = rest.popFirst() else { return nil }
                logFolder = text
            case "--minutes":
                guard let text = rest.popFirst(), let number = Double(text), (1.5...1440).contains(number) else {
                    return nil
                }
                minutes = number
            case "--seed":
                guard let text = rest.popFirst(), let number = UInt64(text) else { return nil }
                seed = number
            case "--lines":
                guard let text = rest.popFirst(), let number = Int(text), (1...100_000).contains(number) else {
                    return nil
                }
                lines = number
            default: return nil
            }
        }
    }

    var lineCount: Int { lines ?? Int(minutes * 40) }

    /// How to do it again.
    var command: String {
        "scripts/torture --minutes \(minutes.formatted) --seed \(seed)" + (lines.map { " --lines \($0)" } ?? "")
            + (nodes > 1 ? " --cluster \(nodes)" : "")
    }
}

extension Double {
    fileprivate var formatted: String { self == rounded() ? String(Int(self)) : String(self) }
}
