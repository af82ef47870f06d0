import Messages
import Messaging
import StoreSimulator
import Testing
import Tollgate

@Suite("What load is made of")
struct LoadMakerTests {
    static let authority = Result { try TestAuthority.make() }

    static func messages(
        _ count: Int, mix: [String: Int]? = nil, through door: LoadKind.Door = .queues, run: UInt32 = 7,
        _ disturbances: [LoadDisturbance: Double] = [:]
    ) throws -> [LoadMessage] {
        var shares = try LoadMix(mix, through: door)
        shares.disturbances = disturbances
        let place = LoadWorld.Place(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
            product: "pro.monthly", run: run, key: "tk_1")
        let schedule = LoadSchedule(.steady(1_000), for: .milliseconds(Int64(count)))
        var maker = LoadMaker(
            shares, through: door, on: schedule, in: LoadWorld(place, authority: try authority.get()))
        var messages: [LoadMessage] = []
        while let message = try maker.next() { messages.append(message) }
        return messages
    }

    @Test("Every kind comes as often as its share says")
    func shares() throws {
        let messages = try Self.messages(1_000, mix: ["identify": 3, "attribute": 1])
        let introduced = messages.filter { if case .introduce = $0.purpose { true } else { false } }.count

        #expect(messages.count == 1_000)
        #expect((700...800).contains(introduced))
    }

    @Test("Nobody says the same of himself twice, so that what is lost can be told from what is known")
    func sayings() throws {
        let said = try Self.messages(1_000, mix: ["identify": 1]).map(\.purpose)

        #expect(Set(said).count == 1_000)
        #expect(LoadKind.sayings(in: ["said_0": .text("yes"), "said_31": .null, "plan": .text("pro")]) == 1 << 31 | 1)
    }

    @Test("A receipt is a purchase of its own, and a server asks about what was bought")
    func others() throws {
        let receipts = try Self.messages(50, mix: ["receipt": 1])
        let asked = try Self.messages(100, mix: ["attribute": 1, "verify": 1], through: .http).filter {
            guard case .http("/api/v1/verify", let headers, _) = $0.way else { return false }
            return headers["Authorization"] == "Bearer tk_1"
        }

        #expect(receipts.map(\.purpose) == (0..<50).map { .unlock(person: $0, period: 0) })
        #expect((20...60).contains(asked.count))
    }

    @Test("Each purchase is somebody else's, and no period is sent twice")
    func purchases() throws {
        let purposes = try Self.messages(400).map(\.purpose).filter {
            if case .unlock = $0 { true } else { false }
        }

        #expect(purposes.count > 150)
        #expect(Set(purposes).count == purposes.count)
    }

    @Test(
        "Disturbances come as often as they are asked for",
        arguments: LoadDisturbance.allCases.filter {
            $0 != .reordered && $0 != .nameless
        })
    func disturbed(disturbance: LoadDisturbance) throws {
        let messages = try Self.messages(1_000, [disturbance: 0.2])
        let count = messages.filter { $0.purpose.disturbance == disturbance }.count

        #expect((120...280).contains(count), "\(count)")
    }

    @Test("Without disturbances there are none")
    func honest() throws {
        #expect(try Self.messages(200).allSatisfy { $0.purpose.disturbance == nil })
    }

    @Test("A duplicate is the same message under the same id, later")
    func duplicates() throws {
        let messages = try Self.messages(300, [.duplicate: 0.3])
        let firsts = Dictionary(
            messages.enumerated().compactMap { place, message in Self.id(of: message).map { ($0, place) } },
            uniquingKeysWith: { first, _ in first })
        let duplicates = messages.enumerated().filter { $0.element.purpose == .nothing(.duplicate) }

        #expect(duplicates.count > 30)
        for (place, message) in duplicates {
            let first = try #require(Self.id(of: message).flatMap { firsts[$0] })
            #expect(first < place)
        }
    }

    @Test("Nameless messages have a kind and a body, and nothing else")
    func nameless() throws {
        let messages = try Self.messages(200, [.nameless: 0.5])
        let nameless = messages.filter { Self.id(of: $0) == nil }

        #expect((60...140).contains(nameless.count))
        for message in nameless {
            guard case .queue(let publication) = message.way else { continue }
            #expect(publication.envelope.kind != nil)
            #expect(publication.envelope.key == nil)
        }
    }

    @Test("Reordered, a renewal comes before its purchase now and then; otherwise never", arguments: [0.0, 0.5])
    func reordered(part: Double) throws {
        let messages = try Self.messages(2_000, mix: ["attribute": 1, "renewal": 1], [.reordered: part])
        var bought: Set<Int> = []
        var early = 0
        for message in messages {
            guard case .unlock(let person, let period) = message.purpose else { continue }
            if period == 0 { bought.insert(person) } else if !bought.contains(person) { early += 1 }
        }

        #expect((early > 0) == (part > 0))
    }

    @Test("The same seed makes the same sequence, another one other people")
    func seeds() throws {
        let first = try Self.messages(100).map(\.purpose)

        #expect(try Self.messages(100).map(\.purpose) == first)
        #expect(try Self.messages(100, run: 8).map(\.purpose) != first)
    }

    @Test("A transaction's number says whose it is", arguments: [0, 1, 77, 999_999])
    func numbers(person: Int) {
        let numbers = LoadNumbers(run: 12)
        let original = numbers.original(of: person)

        let origin = numbers.origin(of: TransactionID(rawValue: original.rawValue))
        #expect(origin?.person == person && origin?.period == 0)
        #expect(numbers.origin(of: TransactionID(rawValue: "1")) == nil)
        #expect(numbers.origin(of: TransactionID(rawValue: "x")) == nil)
    }

    @Test(
        "A mix names kinds that there are, each once",
        arguments: [
            "", "identify", "identify=", "identify=-1", "identify=1,identify=2", "unheard-of=1", "identify=1,",
        ])
    func badMix(text: String) {
        #expect(LoadMix.shares(text) == nil)
    }

    @Test("What goes through the edge only is refused on the queues, and an empty mix everywhere")
    func wrongDoor() {
        #expect(throws: UsageError.self) { try LoadMix(["paywall": 1], through: .queues) }
        #expect(throws: UsageError.self) { try LoadMix(["identify": 0], through: .http) }
    }

    static func id(of message: LoadMessage) -> MessageID? {
        if case .queue(let publication) = message.way { publication.envelope.id } else { nil }
    }
}

@Suite("What became of load")
struct LoadLedgerTests {
    static func message(_ purpose: LoadMessage.Purpose, due: Duration = .zero) -> LoadMessage {
        LoadMessage(kind: 0, way: .http(path: "", headers: [:], body: []), purpose: purpose, due: due)
    }

    static func ledger(accepting purposes: LoadMessage.Purpose...) -> LoadLedger {
        let ledger = LoadLedger()
        for purpose in purposes {
            _ = ledger.begin(late: .zero, most: 100)
            ledger.end(message(purpose, due: .seconds(1)), .accepted, at: .seconds(1))
        }
        return ledger
    }

    @Test("Latency counts from the moment at which a message was due")
    func latency() {
        let ledger = Self.ledger(accepting: .unlock(person: 3, period: 0))
        #expect(ledger.open().count == 1)
        #expect(ledger.open().oldest == .seconds(1))

        ledger.see(3, period: 0, at: .seconds(4))

        #expect(ledger.standing().effect.greatest == .seconds(3))
        #expect(ledger.open().count == 0)
    }

    @Test("A renewal that was seen covers the purchase before it")
    func covered() {
        let ledger = Self.ledger(accepting: .unlock(person: 0, period: 0), .unlock(person: 0, period: 1))

        ledger.see(0, period: 1, at: .seconds(2))

        #expect(ledger.standing().effects == 2)
        #expect(ledger.open().count == 0)
    }

    @Test("An effect that is seen before the answer counts too")
    func early() {
        let ledger = LoadLedger()
        ledger.see(0, period: 0, at: .seconds(1))
        ledger.end(Self.message(.unlock(person: 0, period: 0)), .accepted, at: .seconds(2))

        #expect(ledger.standing().effects == 1)
        #expect(ledger.open().count == 0)
    }

    @Test("Nothing is awaited of what was not accepted, nor of renewals of somebody whose purchase was not")
    func notAccepted() {
        let ledger = Self.ledger(accepting: .unlock(person: 0, period: 1))
        ledger.end(Self.message(.unlock(person: 0, period: 0)), .failed("503"), at: .seconds(1))

        #expect(ledger.open().count == 0)
        #expect(ledger.standing().reasons == ["503": 1])
    }

    @Test("The same told under another id is an effect that happened twice; a repeat under the same id is none")
    func twice() {
        let ledger = Self.ledger(accepting: .unlock(person: 0, period: 0))
        ledger.see(0, period: 0, content: 9, id: 1, at: .seconds(1))
        ledger.see(0, period: 0, content: 9, id: 1, at: .seconds(1))
        #expect(ledger.standing().twice == 0)

        ledger.see(0, period: 0, content: 9, id: 2, at: .seconds(1))

        #expect(ledger.standing().twice == 1)
    }

    @Test("A purchase that the store has not signed and that unlocks something is wrong")
    func forged() {
        let ledger = Self.ledger(accepting: .refuse(person: 5))

        ledger.see(5, period: 0, at: .seconds(1))

        #expect(ledger.standing().wrong == 1)
    }

    @Test("It is wrong once, whether it is seen before or after the answer, and however often")
    func forgedOnce() {
        let ledger = LoadLedger()
        ledger.see(5, period: 0, at: .seconds(1))
        ledger.end(Self.message(.refuse(person: 5)), .accepted, at: .seconds(2))
        ledger.see(5, period: 0, at: .seconds(3))

        #expect(ledger.standing().wrong == 1)
    }

    @Test("What nobody answered in time is in the percentiles, what was turned away at once is not")
    func unanswered() {
        let ledger = LoadLedger()
        ledger.end(Self.message(.tell), .unanswered("no answer"), at: .seconds(10))
        ledger.end(Self.message(.tell), .failed("503"), at: .seconds(20))

        #expect(ledger.standing().accept.greatest == .seconds(10))
        #expect(ledger.standing().total.failed == 2)
    }

    @Test("What never had its effect is in the percentiles, as long as it has been waited for")
    func censored() {
        let ledger = Self.ledger(accepting: .unlock(person: 0, period: 0), .unlock(person: 1, period: 0))
        ledger.see(0, period: 0, at: .seconds(1))

        let open = ledger.close(at: .seconds(61))

        #expect(open == 1)
        #expect(ledger.standing().effect.greatest == .seconds(60))
    }

    @Test("More than may be on their way are not sent")
    func inFlight() {
        let ledger = LoadLedger()

        #expect(ledger.begin(late: .zero, most: 1))
        #expect(!ledger.begin(late: .zero, most: 1))
        ledger.end(Self.message(.tell), .unsent, at: .zero)
        ledger.end(Self.message(.tell), .accepted, at: .zero)
        #expect(ledger.begin(late: .zero, most: 1))
        #expect(ledger.standing().total.unsent == 1)
    }

    @Test("Asked about are those of whom something is missing, those of whom nothing tells, then others, evenly drawn")
    func witnesses() {
        let ledger = LoadLedger()
        for person in 0..<100 {
            ledger.end(Self.message(.unlock(person: person, period: 0)), .accepted, at: .zero)
            if person != 77 { ledger.see(person, period: 0, at: .zero) }
        }

        for person in 100..<105 {
            ledger.end(Self.message(.introduce(person: person, saying: 0)), .accepted, at: .zero)
        }

        let (witnesses, unheard) = ledger.witnesses(11)

        #expect(witnesses.prefix(6).map(\.person) == [77, 100, 101, 102, 103, 104])
        #expect(witnesses.count == 11 && unheard == 0)
        #expect(witnesses.contains { $0.person < 20 } && witnesses.contains { (80..<100).contains($0.person) })
        #expect(ledger.witnesses(4).unheard == 2)
    }
}
