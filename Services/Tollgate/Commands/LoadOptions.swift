internal import Messages
internal import ServiceKit

/// What can be said to `tollgate load` about the traffic.
enum LoadOptions {
    static let through = Option<LoadKind.Door>(
        "--through", "DOOR", "http: the edge, as phones do; queues: straight onto them, as a stranger does",
        expectation: "http or queues", default: "http", parse: LoadKind.Door.init(rawValue:))
    static let url = Option.text(
        "--url", "URL", "The edge", variable: "TOLLGATE_URL", default: "http://127.0.0.1:8080")
    static let loadBroker = Option.text(
        "--load-broker", "URL", "The broker with the login tollgate-load, which may publish commands only",
        variable: "TOLLGATE_LOAD_BROKER")
    static let rate = Option<LoadSchedule.Rate>(
        "--rate", "RATE", "Messages a second: 200, ramped 100..1000, or in steps of equal length 100,200,400",
        expectation: "numbers from 0.01 to 1000000, such as 200, 100..1000 or 100,200,400", default: "50",
        parse: LoadSchedule.Rate.init)
    static let duration = Option<Duration>(
        "--for", "DURATION", "How long messages are sent", expectation: "a duration from 1ms to 24h", default: "30s"
    ) { text in
        Duration(settingText: text).flatMap { (.milliseconds(1) ... .seconds(86_400)).contains($0) ? $0 : nil }
    }
    static let count = Option<Int>.number(
        "--count", "N", "So many messages at most", in: 1...LoadLedger.mostPeople, default: 1_000_000)
    static let mix = Option<[String: Int]>(
        "--mix", "KIND=SHARE,…", "Which kinds, and how often each beside the others",
        expectation: "kinds with shares, such as identify=40,attribute=30; kinds: \(kinds)", parse: LoadMix.shares)
    static let seed = Option<UInt32>(
        "--seed", "N", "Names people and purchases; another one each time unless given",
        expectation: "a whole number from 1 to \(mostSeed)"
    ) { UInt32($0).flatMap { (1...mostSeed).contains($0) ? $0 : nil } }

    static let duplicates = share("--duplicates", .duplicate, "are sent twice, under the same id where there is one")
    static let reordered = share("--reorder", .reordered, "are held back until others have passed")
    static let stale = share("--stale", .stale, "are purchases with an older signature that comes late")
    static let poison = share("--poison", .poison, "can be read by nobody")
    static let forged = share("--forged", .forged, "are purchases that the store has not signed")
    static let nameless = share("--without-ids", .nameless, "have no id, key and time; with --through queues")
    static let disturbances: [(option: Option<Double>, disturbance: LoadDisturbance)] = [
        (duplicates, .duplicate), (reordered, .reordered), (stale, .stale), (poison, .poison), (forged, .forged),
        (nameless, .nameless),
    ]

    static let product = Option.text(
        "--product", "PRODUCT", "What is bought; it has to unlock something", default: "com.example.tunes.pro.monthly")
    static let notifications = Option.text(
        "--notifications", "PATH", "Where the store sends notifications, as apps add shows it; for --through http")
    static let key = Option.text(
        "--key", "KEY", "A server's key with the scope write, for verify; for --through http", variable: "TOLLGATE_KEY")
    static let kill = Option<LoadKill>(
        "--kill", "SERVICE@TIME", "Kills a service of this host's installation; back after 2s, or SERVICE@TIME+AWAY",
        expectation: "a service and durations, such as receipt-validator@10s or receipt-validator@10s+5s",
        isRepeatable: true
    ) { LoadKill($0, services: ServiceName.all.map(\.rawValue)) }
    static let pids = Option.text(
        "--pids", "DIR", "Where the installation keeps the numbers of its processes", default: ".tollgate/pids")
    static let threshold = Option<[LoadThreshold]>(
        "--threshold", "FIGURE<VALUE,…", "What has to hold; unless given, lost=0,twice=0,wrong=0",
        expectation: "figures with bounds, such as p99_effect<200ms,lost=0; figures: \(figures)", isRepeatable: true,
        parse: LoadThreshold.list)
    static let settle = Option<Duration>(
        "--settle", "DURATION", "How long effects may take at the end", expectation: "a duration from 0s to 1h",
        default: "30s"
    ) { text in Duration(settingText: text).flatMap { $0 <= .seconds(3_600) ? $0 : nil } }
    static let ask = Option<Int>.number(
        "--ask", "N", "About how many people is asked at the end", in: 0...1_000_000, default: 2_000)
    static let inFlight = Option<Int>.number(
        "--in-flight", "N", "How many may be on their way at once; more are not sent", in: 1...40_000, default: 10_000)
    static let answerTime = Option<Duration>(
        "--answer-within", "DURATION", "When a request counts as failed", expectation: "a duration from 1ms to 1h",
        default: "10s"
    ) { text in
        Duration(settingText: text).flatMap { (.milliseconds(1) ... .seconds(3_600)).contains($0) ? $0 : nil }
    }
    static let remote = Flag("--remote", "Also at a broker or an edge that is not on this host")
    static let dryRun = Flag("--dry-run", "Say what would be sent, and send nothing")

    static let all: [any OptionDescription] = [
        through, url, loadBroker, rate, duration, count, mix, seed, duplicates, reordered, stale, poison, forged,
        nameless, SimulateTransaction.authority, Subject.organisation, Subject.app, product, notifications, key, kill,
        pids,
        threshold, settle, ask, inFlight, answerTime, remote, dryRun,
    ]

    private static let mostSeed: UInt32 = 2_000_000_000
    private static let kinds = LoadKind.all.map(\.name).joined(separator: ", ")
    private static let figures = (LoadThreshold.numbers + LoadThreshold.durations).joined(separator: ", ")

    private static func share(_ name: String, _ disturbance: LoadDisturbance, _ what: String) -> Option<Double> {
        Option(
            name, "SHARE", "So many \(what)", expectation: "a share such as 5% or 0.05, at most 90%", default: "0"
        ) { text in
            let isPercent = text.hasSuffix("%")
            guard let number = Double(isPercent ? text.dropLast() : text[...]) else { return nil }
            let share = isPercent ? number / 100 : number
            return (0...0.9).contains(share) ? share : nil
        }
    }
}
