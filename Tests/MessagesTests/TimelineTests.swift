import Messages
import TestSupport
import Testing

@Suite("Timelines")
struct TimelineTests {
    static func time(_ seconds: Int) -> Timestamp { Timestamp(clamping: Int64(seconds) * 1000) }

    static func told(
        _ id: String, knownAt: Int, signed: Int = 0, effect: TimelineEntry.Effect? = nil, digest: String? = nil,
        reason: TimelineEntry.Reason? = nil
    ) -> TimelineEntry {
        var entry = TimelineEntry(.transactionTold, at: time(0), knownAt: time(knownAt))
        entry.realm = .stores
        entry.chain = OriginalTransactionID(rawValue: "1")
        entry.environment = .production
        entry.transaction = TransactionID(rawValue: id)
        entry.signedAt = time(signed)
        entry.effect = effect
        entry.digest = digest.map(ArtifactDigest.init(rawValue:))
        entry.reason = reason
        return entry
    }

    @Test("What both sides say is said once: with the effect, and with the artifact that counted")
    func once() {
        let entries = [
            Self.told("a", knownAt: 10, digest: "late", reason: .superseded),
            Self.told("a", knownAt: 3, digest: "first"),
            Self.told("a", knownAt: 4, effect: .began), Self.told("a", knownAt: 9, signed: 8, digest: "anew"),
        ]

        let merged = Timeline.merging(entries)

        #expect(merged.map(\.digest?.rawValue) == ["first", "anew", "late"])
        #expect(merged.map(\.effect) == [.began, nil, nil])
        #expect(merged.map(\.knownAt) == [4, 9, 10].map(Self.time))
    }

    @Test("What had an effect has no reason for having had none, though other evidence counts now")
    func superseded() {
        let merged = Timeline.merging([
            Self.told("a", knownAt: 1, digest: "d", reason: .superseded), Self.told("a", knownAt: 2, effect: .began),
        ])

        #expect(merged.map(\.digest?.rawValue) == ["d"] && merged.map(\.reason) == [nil])
    }

    @Test("The order of what is given does not matter, and merging again changes nothing")
    func stable() {
        var entries = (0..<40).map { number in
            Self.told(
                "\(number % 7)", knownAt: number % 5, signed: number % 3,
                effect: number.isMultiple(of: 2) ? .extended : nil,
                digest: number.isMultiple(of: 2) ? nil : "d\(number % 4)")
        }
        for what in [TimelineEntry.What.linkWon, .periodEnded, .mappingChanged, .claimMade] {
            entries.append(TimelineEntry(what, at: Self.time(1), knownAt: Self.time(2)))
        }
        let expected = Timeline.merging(entries)
        var random = SeededGenerator(seed: 5)

        for _ in 0..<50 {
            entries.shuffle(using: &random)
            #expect(Timeline.merging(entries + entries) == expected)
        }
        #expect(Timeline.merging(expected) == expected)
        #expect(expected.map(\.knownAt) == expected.map(\.knownAt).sorted())
    }

    @Test("Of what came together, configuration is told before links, links before what is signed")
    func together() {
        let link = TimelineEntry(.linkWon, at: Self.time(9), knownAt: Self.time(9))
        let mapping = TimelineEntry(.mappingChanged, at: Self.time(9), knownAt: Self.time(9))

        let merged = Timeline.merging([Self.told("a", knownAt: 9), link, mapping])

        #expect(merged.map(\.what) == [.mappingChanged, .linkWon, .transactionTold])
    }

    @Test("Every entry has a sentence, that of a code that this release does not know too")
    func sentences() {
        var entry = TimelineEntry(TimelineEntry.What(rawValue: "moon_landed"), at: Self.time(1), knownAt: Self.time(1))
        entry.reason = TimelineEntry.Reason(rawValue: "too_far")

        #expect(entry.sentence == "moon landed" && entry.outcome == "too far")
        #expect(Self.told("a", knownAt: 1, effect: .began).outcome == "active from here on")
        #expect(
            Self.told("a", knownAt: 1, effect: TimelineEntry.Effect.none, reason: .superseded).outcome
                == "no effect: other evidence about it counts in its place")
    }
}
