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
        usage: torture [--minutes M] [--seed S] [--lines N] [--cluster 3] [--logs DIR] [--json]

        Plays a random load twice: once undisturbed, once while a nemesis kills services and the broker, freezes owners,
        fills disks, blocks the broker, cuts and tears connections, doubles and reorders messages. Then both have to have
        come to the same end, with nothing lost and nothing twice. Load and nemesis follow from the seed.

          --minutes M   how long all of it takes, about (3); at least 1.5
          --seed S      the seed of load and nemesis (drawn, and printed)
          --lines N     how many lines of the load; what happens to three people and a purchase is a line (40 a minute)
          --cluster N   the run with faults has a broker of N nodes (2 to 5), of which one at a time is killed
          --logs DIR    keep the logs of the services there, of the run with faults
          --json        the report as JSON

        example: torture --minutes 3 --seed 42
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
