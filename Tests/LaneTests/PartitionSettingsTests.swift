import Lane
import Messages
import Messaging
import ServiceKit
import Testing

@Suite("Settings of partitions")
struct PartitionSettingsTests {
    private func settings(_ more: [String: String]) throws -> PartitionSettings {
        try PartitionSettings(from: Settings(environment: ["TOLLGATE_STORE": "/stores"].merging(more) { $1 }))
    }

    @Test("Without more than a folder there is one partition, with the standard ladder and limits")
    func defaults() throws {
        let settings = try settings([:])

        #expect(settings.storeFolder == "/stores" && settings.count == .one && settings.owned == [0])
        #expect(settings.ladder == RetryLadder())
        #expect(settings.limits == LaneLimits())
        #expect(
            PartitionAddress(service: .receiptValidator, number: 0, count: .one).storePath(in: settings.storeFolder)
                == "/stores/receipt-validator.0.sqlite")
    }

    @Test("The folder has to be given")
    func folder() {
        #expect(throws: SettingsError.self) { try PartitionSettings(from: Settings(environment: [:])) }
    }

    @Test(
        "Which partitions a process owns is said by numbers and ranges",
        arguments: [
            ("all", Array(0..<8)), ("0", [0]), ("0-3", [0, 1, 2, 3]), ("7,0-1", [0, 1, 7]), ("2,2,1-2", [1, 2]),
            ("5-5", [5]),
        ])
    func owned(text: String, expected: [Int]) throws {
        #expect(try settings(["TOLLGATE_PARTITIONS": "8", "TOLLGATE_OWN": text]).owned == expected)
    }

    @Test(
        "What names no partition of the service is refused",
        arguments: [
            "", ",", "8", "0-8", "3-1", "-1", "1-", "1-2-3", "a", "0,", " 0", "0 - 1", "64", "99999999999999999999",
            "ALL",
        ])
    func notOwned(text: String) {
        let error = #expect(throws: SettingsError.self) {
            try settings(["TOLLGATE_PARTITIONS": "8", "TOLLGATE_OWN": text])
        }
        #expect(error?.name == "TOLLGATE_OWN")
    }

    @Test("A count is a power of two up to 64", arguments: ["0", "3", "65", "128", "-1", "", "one"])
    func counts(text: String) {
        #expect(throws: SettingsError.self) { try settings(["TOLLGATE_PARTITIONS": text]) }
    }

    @Test("The rungs of the ladder get longer, and keep their names")
    func rungs() throws {
        let settings = try settings(["TOLLGATE_RETRY_DELAYS": "50ms,1s,2m", "TOLLGATE_GIVE_UP_AFTER": "1h"])

        #expect(settings.ladder.delays.map(\.text) == ["50ms", "1s", "2m"])
        #expect(settings.ladder.delays.map(\.duration) == [.milliseconds(50), .seconds(1), .seconds(120)])
        #expect(settings.ladder.givesUpAfter == .seconds(3600))
        #expect(settings.layout(of: .receiptValidator).retryDelays == settings.ladder.delays)
    }

    @Test(
        "What is no ladder is refused",
        arguments: ["", "1s,1s", "2s,1s", "0s", "1s,", "1s;2s", "1s, 2s", "soon", "1000ms,1s", "-1s"])
    func noRungs(text: String) {
        #expect(throws: SettingsError.self) { try settings(["TOLLGATE_RETRY_DELAYS": text]) }
    }

    @Test("Every setting is in the catalogue, once")
    func catalogue() {
        let names = PartitionSettings.catalogue.map(\.name)

        #expect(
            names == [
                "TOLLGATE_STORE", "TOLLGATE_PARTITIONS", "TOLLGATE_OWN", "TOLLGATE_RETRY_DELAYS",
                "TOLLGATE_GIVE_UP_AFTER", "TOLLGATE_BATCH", "TOLLGATE_BATCH_BYTES", "TOLLGATE_PREFETCH",
                "TOLLGATE_INBOX_KEPT", "TOLLGATE_PAUSE_LIMIT", "TOLLGATE_CHECKPOINT_INTERVAL",
            ])
    }
}
