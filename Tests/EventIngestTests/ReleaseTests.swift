import Foundation
import Lane
import Messages
import SQLite
import ServiceKit
import TestSupport
import Testing

@testable import EventIngest

@Suite("Names that are taken back")
struct ReleaseTests {
    static func name(_ number: Int) -> EventName { NamesTests.name(number) }
    static func minute(_ number: Int64) -> Timestamp { IngestRig.noon - .seconds(60 * (60 - number)) }

    @Test(
        "A name taken back makes room; its events are dropped in every partition, late ones too; later ones claim it anew"
    )
    func released() async throws {
        let rig = try await IngestRig(partitions: 4)
        _ = try await rig.settle(NamesTests.claim((0..<32).map(Self.name), by: .unverified, at: Self.minute(0)))
        for user in 0..<8 {
            _ = try await rig.record(
                [EventsTests.event("name_0"), EventsTests.event("name_1")], of: "u\(user)", at: Self.minute(1))
        }

        _ = try await rig.settle(NamesTests.release([Self.name(0)], at: Self.minute(2)))
        try await rig.ringAlarms()

        #expect(try await rig.books().map(\.names.count) == [31, 31, 31, 31])
        #expect(Set(try await rig.events().map(\.name)) == [Self.name(1)])
        #expect(rig.metrics.render().contains("tollgate_events_dropped_total{code=\"name_released\"} 8"))
        let late = try await rig.record([EventsTests.event("name_0")], at: Self.minute(1))
        #expect(late.rejected == [.init(index: 0, code: .nameReleased)])
        let lateClaim = try NamesTests.value(try await rig.settle(NamesTests.claim([Self.name(0)], at: Self.minute(1))))
        #expect(lateClaim.rejected == [Self.name(0)])

        _ = try await rig.record([EventsTests.event("name_0")], of: "bob", at: Self.minute(3))
        #expect(try await rig.events().filter { $0.name == Self.name(0) }.map(\.user.rawValue) == ["bob"])
        let other = try NamesTests.value(try await rig.settle(NamesTests.claim([Self.name(99)], at: Self.minute(4))))
        #expect(other.rejected == [Self.name(99)])
        #expect(Set(try await rig.books().map(\.names.count)) == [32])
    }

    @Test("It is said by whose word a name was claimed, over the queue as by an edge")
    func trust() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(NamesTests.claim([Self.name(0)], by: .attested))
        _ = try await rig.settle(NamesTests.claim([Self.name(0), Self.name(1)]))
        _ = try await rig.record([EventsTests.event("name_2")], trust: .attested)
        _ = try await rig.record([EventsTests.event("name_3")], from: .load, trust: .attested)

        #expect(try await rig.books()[0].names.map(\.trust) == [.attested, .unverified, .attested, .unverified])
    }

    @Test("Where only attested callers claim names, others use what is claimed; what waited of them is dropped")
    func rule() async throws {
        let rig = try await IngestRig()
        let waiting = try Letter(
            EventsRecord(
                organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: "ann"),
                events: [EventsTests.event("name_5")], trust: .unverified), id: "w", at: Self.minute(0), from: .load)
        let proposals = try await rig.apply([waiting], in: 0)
        _ = try await rig.settle(NamesTests.claim([Self.name(0)], by: .attested, at: Self.minute(0)))
        _ = try await rig.settle(NamesTests.rule(.attested, id: "r", at: Self.minute(1)))
        for proposal in proposals { _ = try await rig.settle(proposal) }
        #expect(try await rig.waiting() == 0)

        let value = try await rig.record(
            [EventsTests.event("name_0"), EventsTests.event("name_1")], at: Self.minute(2), trust: .unverified)
        #expect(value.stored == 1 && value.rejected == [.init(index: 1, code: .nameUnclaimable)])
        #expect(rig.metrics.render().contains("tollgate_events_dropped_total{code=\"name_unclaimable\"} 2"))
        #expect(
            try NamesTests.value(try await rig.settle(NamesTests.claim([Self.name(1)], by: .unverified))).rejected
                == [Self.name(1)])
        _ = try await rig.record([EventsTests.event("name_1")], at: Self.minute(2), trust: .attested)
        #expect(try await rig.books()[0].names.map(\.name) == [Self.name(0), Self.name(1)])

        // What was said before comes late.
        _ = try await rig.settle(NamesTests.rule(nil, at: Self.minute(0)))
        #expect(try await rig.books()[0].claims == .attested)
        _ = try await rig.settle(NamesTests.rule(nil, at: Self.minute(5)))
        #expect(try await rig.books()[0].claims == nil)
    }

    @Test("What an operator changes is in the audit trail, once; what changes nothing is not")
    func audited() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(NamesTests.claim([Self.name(0), Self.name(1)], at: Self.minute(0)))

        for _ in 0..<2 {
            _ = try await rig.settle(
                NamesTests.release([Self.name(0), Self.name(1)], id: "one", at: Self.minute(1)))
        }
        for id in ["two", "two", "three"] {
            _ = try await rig.settle(NamesTests.rule(.attested, id: id, at: Self.minute(2)))
        }
        _ = try await rig.settle(NamesTests.rule(nil, id: "four", at: Self.minute(3)))

        let app = Key.app(IngestRig.organisation, IngestRig.app)
        #expect(
            try await rig.partitions[0].audited() == [
                "release_names \(app) name_0, name_1 2", "rule_names \(app) attested callers alone 1",
                "rule_names \(app) anybody 1",
            ])
    }

    @Test("How many events there are under a name is told by whose word they are")
    func usage() async throws {
        let rig = try await IngestRig()
        _ = try await rig.settle(NamesTests.claim([Self.name(0), Self.name(1)]))
        _ = try await rig.record([EventsTests.event("name_0"), EventsTests.event("name_0")], trust: .attested)
        _ = try await rig.record([EventsTests.event("name_0"), EventsTests.event("name_1")], trust: .unverified)

        let verdict = try await rig.partitions[0].read {
            try CountNames().answer(
                EventNameUsage(partition: 0, organisation: IngestRig.organisation, app: IngestRig.app), in: $0)
        }

        guard case .applied(let value) = verdict else { throw TestFailure("\(verdict)") }
        #expect(
            value.counts == [
                .init(name: Self.name(0), attested: 2, unverified: 1),
                .init(name: Self.name(1), attested: 0, unverified: 1),
            ])
    }

    @Test("More names than can be remembered are not taken back")
    func tooMany() async throws {
        let rig = try await IngestRig()
        for part in 0..<6 {
            let names = (0..<45).map { Self.name(45 * part + $0) }
            let answer = try await rig.settle(NamesTests.release(names, at: Self.minute(Int64(part))))
            #expect((answer == "too_many_names") == (part == 5))
        }
    }

    @Test(
        "Whatever the order, what was accepted under a name until it was taken back is gone, and what came later is there",
        arguments: [1, 4])
    func orders(partitions: Int) async throws {
        for seed in 1...UInt64(6) {
            var random = SeededGenerator(seed: seed)
            let rig = try await IngestRig(partitions: partitions)
            var letters = try OrderTests.letters(names: 12, using: &random)
            var releases: [EventName: Timestamp] = [:]
            for number in 0..<4 {
                let name = Self.name(Int.random(in: 0..<12, using: &random))
                let time = IngestRig.noon - .seconds(Int64.random(in: 0...3600, using: &random))
                releases[name] = max(releases[name] ?? time, time)
                letters.append(try NamesTests.release([name], id: "r\(number)", at: time))
                letters.append(
                    try NamesTests.claim(
                        [name], id: "c\(number)",
                        at: IngestRig.noon - .seconds(Int64.random(in: 0...3600, using: &random))))
            }
            letters.shuffle(using: &random)

            try await OrderTests.deliver(letters, to: rig, using: &random)

            let books = try await rig.books()
            let accepted = Set(books[0].names.map(\.name))
            #expect(books.allSatisfy { $0.names == books[0].names && $0.version == books[0].version }, "seed \(seed)")
            #expect(try await rig.waiting() == 0, "seed \(seed)")
            let records = letters.filter { $0.kind == EventsRecord.kind }
            let expected = try OrderTests.expected(of: records, names: Set((0..<12).map(Self.name)), without: releases)
            #expect(try await OrderTests.found(rig) == expected, "seed \(seed)")
            let used = try records.flatMap { letter in
                try MessageJSON.decode(EventsRecord.self, from: letter.body).events.map(\.name).filter { name in
                    name.isGood && releases[name].map { letter.acceptedAt > $0 } ?? true
                }
            }
            #expect(accepted.isSuperset(of: used), "seed \(seed)")
            let claimed = try letters.filter { $0.kind == EventNameClaim.kind }.flatMap { letter in
                try MessageJSON.decode(EventNameClaim.self, from: letter.body).names.filter {
                    letter.acceptedAt > releases[$0] ?? .distantPast
                }
            }
            #expect(accepted.isSubset(of: used + claimed), "seed \(seed)")
        }
    }
}
