import Lane
import Messages
import Messaging
import ServiceKit
import TestSupport
import Testing

@Suite("What a partition shows of what it has not ended", .timeLimit(.minutes(1)))
struct AccountingTests {
    private static let gateway = BrokerUser(of: .attestGateway)
    private static let publisher = PublisherID(rawValue: "attest-gateway:1")
    private static let key = Route.command(Workbench.service, Bucket(of: "a")).routingKey

    private func send(_ bench: Workbench, number: Int) throws {
        var envelope = try bench.envelope(Deposit(account: "a"))
        envelope.sequence = PublisherNumber(publisher: Self.publisher, number: number)
        bench.send(envelope, for: "a", as: Self.gateway)
    }

    private func tell(_ bench: Workbench, through: Int, unconfirmed: [ClosedRange<Int>] = []) throws {
        let checkpoint = PublisherCheckpoint(
            publisher: Self.publisher, routingKey: Self.key, through: through, unconfirmed: NumberSet(unconfirmed),
            isFinal: false)
        let envelope = Envelope(
            kind: PublisherCheckpoint.kind, id: MessageID(at: bench.clock.now), body: try MessageJSON.encode(checkpoint)
        )
        bench.send(envelope, for: "a", as: Self.gateway)
    }

    private func number(_ name: String, _ bench: Workbench) -> Double? {
        let line = bench.metrics.render().split(separator: "\n").first { $0.hasPrefix("\(name){partition=\"0\"") }
        return line?.split(separator: " ").last.flatMap { Double($0) }
    }

    @Test("Messages that a checkpoint confirms and that never came are counted, until they come")
    func unaccounted() async throws {
        let bench = try await Workbench { $0.limits.upkeepInterval = .milliseconds(5) }
        try await bench.whileWorking { _ in
            for number in [1, 2, 5] { try send(bench, number: number) }
            try tell(bench, through: 6, unconfirmed: [6...6])

            #expect(await eventually { number("tollgate_lane_unaccounted_messages", bench) == 2 })

            for number in 3...4 { try send(bench, number: number) }

            #expect(await eventually { number("tollgate_lane_unaccounted_messages", bench) == 0 })
        }
    }

    @Test("What waits in the ladder ages by its first failure; with nothing to do there is no age")
    func oldest() async throws {
        let bench = try await Workbench { $0.limits.upkeepInterval = .milliseconds(5) }
        try await bench.whileWorking { _ in
            await bench.settle()
            #expect(number("tollgate_lane_oldest_unapplied_seconds", bench) == 0)

            var envelope = try bench.envelope(Deposit(account: "a"))
            envelope.kind = "unheard.of.v1"
            bench.send(envelope, for: "a", as: Self.gateway)
            #expect(await eventually { (try? await bench.report().retrying) == 1 })
            bench.clock.advance(by: .seconds(90))

            #expect(await eventually { (number("tollgate_lane_oldest_unapplied_seconds", bench) ?? 0) >= 90 })
        }
    }

    @Test("A partition tells what its process has published itself, and when; replies are not of it")
    func published() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            let report = try await bench.report()
            #expect(report.published?.isEmpty == true)

            let route = Route.event("gift.given.v1", Bucket.all[3])
            let envelope = Envelope(kind: "gift.given.v1", id: MessageID(at: .now), body: [])
            let publication = Publication(envelope, to: route, isMandatory: false)
            _ = await work.publisher.publish([publication, publication], deadline: .now + .seconds(5))

            let line = try #require(try await bench.report().published?.first)
            #expect(line.publisher == work.publisher.id)
            #expect(line.routingKey == route.routingKey)
            #expect(line.checkpoint?.through == 2)
            #expect(line.checkpointAt != nil)
        }
    }

    @Test("From acceptance to each kind of event that follows is measured")
    func facts() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { _ in
            var envelope = try bench.envelope(Deposit(account: "a", deed: .announce))
            envelope.acceptedAt = bench.clock.now - .seconds(3)
            bench.send(envelope, for: "a")
            await bench.settle()
        }

        let lines = bench.metrics.render().split(separator: "\n")
            .filter { $0.hasPrefix("tollgate_lane_fact_seconds_sum{kind=\"deposited.v1\"") }
        #expect(lines.count == 1)
        #expect(lines.first?.split(separator: " ").last == "3.0")
    }
}
