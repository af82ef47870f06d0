import AttestGateway
import Messages
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Names of events, as an edge knows them")
struct EventNamesTests {
    private static func name(_ text: String) -> EventName { EventName(rawValue: text) }

    private static func book(_ count: Int, of app: AppID = "com.example.tunes") -> EventNameBook {
        EventNameBook(
            organisation: "acme", app: app,
            names: (0..<count).map { .init(name: name("n\($0)"), since: .epoch) })
    }

    /// Nobody to ask.
    private static func names(capacity: Int = 100, _ asked: @escaping @Sendable () -> Void = {}) -> EventNames {
        EventNames(
            ask: { _, _ in
                asked()
                throw Asker.NoAnswer()
            }, deadline: .milliseconds(1), capacity: capacity, metrics: MetricsRegistry())
    }

    @Test("What event-ingest has told to all is known; a full book rejects every other name without a question")
    func told() async {
        let asked = Mutex(0)
        let names = Self.names { asked.withLock { $0 += 1 } }
        names.take(Self.book(EventName.budget))

        let rejected = await names.rejected(
            among: [Self.name("n0"), Self.name("n31"), Self.name("n32")], of: .tunes, by: .unverified)

        #expect(rejected == [Self.name("n32")])
        #expect(asked.withLock { $0 } == 0)
    }

    @Test("Of two books the newer one counts, whichever comes last: names may have been taken back")
    func order() async {
        for editions in [[(32, 40), (31, 41)], [(31, 41), (32, 40)]] {
            let names = Self.names()
            for (count, version) in editions {
                var book = Self.book(count)
                book.version = version
                names.take(book)
            }
            let rejected = await names.rejected(among: [Self.name("x"), Self.name("n31")], of: .tunes, by: .attested)
            #expect(rejected == [])
        }
    }

    @Test("Where only attested callers may claim names, others are told so without a question")
    func claims() async {
        let asked = Mutex(0)
        let names = Self.names { asked.withLock { $0 += 1 } }
        var book = Self.book(3)
        book.claims = .attested
        names.take(book)

        #expect(
            await names.rejected(among: [Self.name("x"), Self.name("n0")], of: .tunes, by: .unverified) == [
                Self.name("x")
            ])
        #expect(asked.withLock { $0 } == 0)
        #expect(await names.rejected(among: [Self.name("x")], of: .tunes, by: .attested) == [])
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("What may have changed unheard is asked for again")
    func forgotten() async {
        let asked = Mutex(0)
        let names = Self.names { asked.withLock { $0 += 1 } }
        names.take(Self.book(EventName.budget))
        names.forget()

        #expect(await names.rejected(among: [Self.name("x")], of: .tunes, by: .unverified) == [])
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("Without an edition the longer book is the newer, whichever comes last")
    func length() async {
        for books in [[3, 32], [32, 3]] {
            let names = Self.names()
            for count in books { names.take(Self.book(count)) }
            let rejected = await names.rejected(among: [Self.name("x")], of: .tunes, by: .unverified)
            #expect(rejected == [Self.name("x")])
        }
    }

    @Test("Its memory is bounded, and keeps what is asked about")
    func bounded() async {
        let asked = Mutex(0)
        let names = Self.names(capacity: 2) { asked.withLock { $0 += 1 } }
        names.take(Self.book(1))
        for number in 0..<20 {
            names.take(Self.book(1, of: AppID(rawValue: "com.example.app\(number)")))
            _ = await names.rejected(among: [Self.name("n0")], of: .tunes, by: .unverified)
        }
        #expect(asked.withLock { $0 } == 0)

        let first = AppRecord(organisation: "acme", app: "com.example.app0", version: 1, changedAt: .epoch)
        _ = await names.rejected(among: [Self.name("n0")], of: first, by: .unverified)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("The same question at the same time is put once, and answers all who wait")
    func together() async {
        let gate = Gate()
        let asked = Mutex(0)
        let names = EventNames(
            ask: { claim, _ in
                asked.withLock { $0 += 1 }
                await gate.wait()
                return .applied(.init(accepted: [], rejected: claim.names, book: Self.book(3)))
            }, deadline: .seconds(5), metrics: MetricsRegistry())

        await withTaskGroup(of: Set<EventName>.self) { group in
            for _ in 0..<8 {
                group.addTask { await names.rejected(among: [Self.name("x")], of: .tunes, by: .unverified) }
            }
            #expect(await eventually { asked.withLock { $0 } == 1 })
            gate.open()
            for await rejected in group { #expect(rejected == [Self.name("x")]) }
        }
        // Whoever came after the answer had to ask again: the book has room.
        #expect(asked.withLock { $0 } <= 8)
    }
}
