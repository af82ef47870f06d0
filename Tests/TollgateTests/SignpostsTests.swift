import Foundation
import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("Events, as the operator sees them")
struct SignpostsTests {
    /// A partition with the events of every third second, in pages of four.
    private struct Partition: Sendable {
        let number: Int
        var count = 10
        /// Of those asked for onwards, what has come since the beginning.
        var late = 0

        func event(_ place: Int64) -> StoredEvent {
            let time = CommandTests.time + .seconds(3 * place + Int64(number))
            return StoredEvent(
                organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
                user: AppUserID(rawValue: "user\u{1B}[2J"), name: EventName(rawValue: "opened"),
                id: "\(number)-\(place)", at: time, sentAt: nil, properties: ["a": .text("b")], trust: .attested,
                acceptedAt: time, storedAt: time, message: MessageID(rawValue: "m"), place: place)
        }

        func answer(_ kind: MessageKind, _ body: [UInt8]) -> (any Encodable & Sendable)? {
            guard kind == SignpostsPage.kind, let page = try? MessageJSON.decode(SignpostsPage.self, from: body) else {
                return Answer.applied(FakeInstallation.report(.eventIngest, number, of: 2))
            }
            if page.isForward == true {
                guard let after = page.after.flatMap({ Int($0) }) else {
                    return Answer.applied(SignpostsPage.Value(events: [], next: "\(count)", partitions: 2))
                }
                let places = Array((count + 1)..<(count + 1 + late)).filter { $0 > after }
                return Answer.applied(
                    SignpostsPage.Value(
                        events: places.map { event(Int64($0)) }, next: "\(places.last ?? after)", partitions: 2))
            }
            let end = min(page.after.flatMap { Int($0) } ?? .max, count + 1)
            let places = (max(1, end - 4)..<max(1, end)).reversed()
            let next = places.last.flatMap { $0 > 1 ? "\($0)" : nil }
            return Answer.applied(
                SignpostsPage.Value(events: places.map { event(Int64($0)) }, next: next, partitions: 2))
        }
    }

    private func ids(_ ending: Tool.Ending) throws -> [String] {
        try JSONDecoder().decode([StoredEvent].self, from: Data(ending.output.utf8)).compactMap(\.id)
    }

    private static let all = (1...10).reversed().flatMap { ["1-\($0)", "0-\($0)"] }

    @Test("The newest of all partitions are first, and a list goes on where the one before has ended")
    func newest() async throws {
        #expect(try ids(try await run(["--json"]).ending) == Self.all)
        var found: [String] = []
        var from: String?
        repeat {
            let ending = try await run(["--json", "--limit", "7"] + (from.map { ["--from", $0] } ?? [])).ending
            found += try ids(ending)
            from = ending.complaint.split(separator: " ").drop { $0 != "--from" }.dropFirst().first.map(String.init)
        } while from != nil && found.count < 50
        #expect(found == Self.all)
    }

    /// - Parameter late: how many come in each partition while they are followed.
    private func run(_ words: [String], late: Int = 0) async throws -> (ending: Tool.Ending, written: String) {
        let installation = FakeInstallation(
            topology: Topology(Topology.Layout(partitions: [.eventIngest: try #require(PartitionCount(rawValue: 2))])))
        let written = Mutex("")
        let environment = ["TOLLGATE_BROKER": "amqp://tollgate:secret@localhost", "TOLLGATE_ORGANISATION": "acme"]
        let surroundings = Surroundings(
            environment: environment, connect: { _ in (installation.broker, nil) },
            write: { text in written.withLock { $0 += text } })
        let ending = try await installation.answering(.eventIngest, 0, of: 2) {
            Partition(number: 0, late: late).answer($0, $1)
        } while: {
            try await installation.answering(.eventIngest, 1, of: 2) {
                Partition(number: 1, late: late).answer($0, $1)
            } while: {
                await Tool(in: surroundings).run(["signposts", "tail"] + words)
            }
        }
        return (ending, written.withLock { $0 })
    }

    @Test("Who follows sees the last ones, the newest of them last, and then each that comes once")
    func follow() async throws {
        let (ending, written) = try await run(
            ["--follow", "--limit", "3", "--count", "4", "--interval", "1ms", "--json"], late: 2)

        #expect(ending.status == .success)
        let ids = try written.split(separator: "\n").map {
            try JSONDecoder().decode(StoredEvent.self, from: Data($0.utf8)).id
        }
        #expect(ids == ["1-9", "0-10", "1-10", "0-11", "1-11", "0-12", "1-12"])
    }

    @Test("A line says when, whose, who, what; whatever strangers wrote stays harmless")
    func line() async throws {
        let ending = try await run(["--limit", "1"]).ending

        #expect(ending.output.contains("acme/com.example.tunes user\u{FFFD}[2J opened {\"a\":\"b\"} (attested)"))
        #expect(!ending.output.contains("\u{1B}"))
    }

    @Test(
        "A name that none can have, or a place that none was, is a wrong command line",
        arguments: [["--name", "Bad"], ["--from", "a.b"], ["--follow", "--from", "1.1"]])
    func usage(words: [String]) async throws {
        #expect(try await run(words).ending.status == .usage)
    }
}
