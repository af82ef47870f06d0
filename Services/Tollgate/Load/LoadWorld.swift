internal import Crypto
internal import FoundationEssentials
package import Messages
internal import StoreArtifacts
package import StoreSimulator

/// The people of a run, and the store in which they buy. Its memory does not grow: of those who came long ago nothing is
/// kept but their number.
package struct LoadWorld: Sendable {
    /// Where everything happens.
    package struct Place: Sendable {
        let organisation: OrganisationID
        let app: AppID
        let product: String
        /// Names the people; another run has others.
        let run: UInt32
        /// The path to which the store sends notifications, if it is known.
        let notifications: String?
        /// Of a server, if it is known.
        let key: String?

        package init(
            organisation: OrganisationID, app: AppID, product: String, run: UInt32, notifications: String? = nil,
            key: String? = nil
        ) {
            self.organisation = organisation
            self.app = app
            self.product = product
            self.run = run
            self.notifications = notifications
            self.key = key
        }
    }

    /// One person, and his one purchase.
    struct Person: Sendable {
        let number: Int
        var purchase: Purchase
        /// How many periods were signed.
        var periods = 0
        /// How often he has said something of himself.
        var sayings = 0
    }

    /// Of how many people a purchase is remembered that may be renewed.
    private static let remembered = 1_024
    /// The purchase and its renewals; what a person is watched for.
    package static let mostPeriods = 4
    /// How often a person says something of himself.
    static let mostSayings = 32

    let place: Place
    let authority: TestAuthority
    var dice: LoadDice
    private var store: SimulatedStore
    private var people: [Person] = []
    /// How many people there are.
    private(set) var population = 0
    /// How many of them have bought; they do so in their order.
    private var buyers = 0

    package init(_ place: Place, authority: TestAuthority) {
        self.place = place
        self.authority = authority
        dice = LoadDice(seed: UInt64(place.run))
        store = SimulatedStore(bundleID: place.app.rawValue, environment: .production, seed: place.run)
    }

    func user(_ person: Int) -> AppUserID { AppUserID(rawValue: "load-\(place.run)-\(person)") }

    /// Somebody who has not been there before.
    mutating func newPerson() -> Int {
        // Ten days ago, by whole seconds as stores do: it renews now, and has not run out.
        let bought = Date(timeIntervalSince1970: (Date.now.timeIntervalSince1970 - 10 * 86_400).rounded(.down))
        let purchase = store.buy(.subscription(place.product), at: bought)
        let person = Person(number: population, purchase: purchase)
        if people.count < Self.remembered {
            people.append(person)
        } else {
            people[population % Self.remembered] = person
        }
        population += 1
        return person.number
    }

    /// Somebody who came lately.
    mutating func someone() -> Int? {
        guard population > 0 else { return nil }
        return population - 1 - Int.random(in: 0..<min(population, 128), using: &dice)
    }

    /// Somebody says something of himself that he has not said before; half of them come for the first time.
    mutating func introduction() -> (person: Int, saying: Int) {
        let known = dice.hits(0.5) ? nil : someone()
        var slot = (known ?? newPerson()) % Self.remembered
        if people[slot].sayings == Self.mostSayings { slot = newPerson() % Self.remembered }
        people[slot].sayings += 1
        return (people[slot].number, people[slot].sayings - 1)
    }

    /// Whoever buys next: he has not bought before.
    mutating func nextBuyer() -> Person {
        // Who has waited for so long is forgotten soon.
        buyers = max(buyers, population - Self.remembered / 2)
        if buyers >= population { _ = newPerson() }
        buyers += 1
        people[(buyers - 1) % Self.remembered].periods = 1
        return people[(buyers - 1) % Self.remembered]
    }

    /// Somebody who bought lately.
    mutating func someBuyer() -> Person? {
        guard buyers > 0 else { return nil }
        let number = buyers - 1 - Int.random(in: 0..<min(buyers, 64), using: &dice)
        let person = people[number % Self.remembered]
        return person.number == number && person.periods > 0 ? person : nil
    }

    /// Somebody who bought lately, whose subscription the store has renewed.
    mutating func renewed() -> Person? {
        guard let buyer = someBuyer(), buyer.periods < Self.mostPeriods else { return nil }
        let slot = buyer.number % Self.remembered
        people[slot].periods += 1
        // Each a second after the one before, and none ahead of the clock.
        let last = people[slot].purchase.latest.signedDate
        let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))
        let date = people[slot].periods == 2 ? now - Double(Self.mostPeriods) : last + 1
        people[slot].purchase.recover(at: date)
        return people[slot]
    }

    /// Nothing more is sent of what he bought.
    mutating func retire(_ person: Int) {
        let slot = person % Self.remembered
        if people.indices.contains(slot), people[slot].number == person { people[slot].periods = Self.mostPeriods }
    }

    /// An artifact as it is put onto the queue of the validator.
    func submission(_ text: String, _ kind: Artifact.Kind, claimedBy claim: TransactionClaim? = nil) -> ArtifactSubmit {
        ArtifactSubmit(
            organisation: place.organisation, app: place.app, artifact: Artifact(kind: kind, text: text),
            digest: ArtifactDigest(rawValue: Digest.sha256(text.utf8).hexadecimal), claim: claim)
    }
}

/// What the numbers of a run's transactions say: the store counts its purchases, and the periods of each.
package struct LoadNumbers: Sendable {
    private let first: Int64
    private let step: Int64

    package init(run: UInt32) {
        var store = SimulatedStore(bundleID: "", seed: run)
        func number() -> Int64 {
            let purchase = store.buy(.subscription(""), at: Date(timeIntervalSince1970: 0))
            return purchase.latest.transactionID.flatMap { Int64($0) } ?? 0
        }
        first = number()
        step = max(1, number() - first)
    }

    /// Whose transaction it is, and of which period; nil: not of this run.
    package func origin(of transaction: TransactionID) -> (person: Int, period: Int)? {
        guard let number = Int64(transaction.rawValue), number >= first else { return nil }
        let (person, period) = (number - first).quotientAndRemainder(dividingBy: step)
        return (Int(person), Int(period))
    }

    /// The original transaction of a person.
    package func original(of person: Int) -> OriginalTransactionID {
        OriginalTransactionID(rawValue: String(first + Int64(person) * step))
    }
}
