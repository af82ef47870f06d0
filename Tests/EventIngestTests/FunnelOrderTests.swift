import Foundation
import Messages
import TestSupport
import Testing

@testable import EventIngest

/// Messages in seeded orders, doubled and late, over one partition and four: the funnel is that of the reference below.
@Suite("The funnel in any order")
struct FunnelOrderTests {
    static let users = (0..<6).map { "user_\($0)" }
    static let steps = ["welcome", "goal", "plan", "notify"]

    static func letters(using random: inout SeededGenerator) throws -> [Letter] {
        var letters: [Letter] = []
        // No two events of one time, so that it is clear which is the newest.
        var times = Array(0..<2000).shuffled(using: &random).map { IngestRig.noon - .seconds(7200 + $0) }
        func send(_ message: some Message, at time: Timestamp, from author: BrokerUser = .load) throws {
            letters.append(try Letter(message, id: "m\(letters.count)", at: time, from: author))
        }
        for _ in 0..<25 {
            let events = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                FunnelFacts.step(
                    steps.randomElement(using: &random) ?? "", index: Int64.random(in: 0...12, using: &random),
                    value: Bool.random(using: &random) ? "v\(Int.random(in: 0..<3, using: &random))" : nil,
                    at: times.removeLast(),
                    id: Bool.random(using: &random) ? "\(Int.random(in: 0..<30, using: &random))" : nil)
            }
            try send(
                EventsRecord(
                    organisation: IngestRig.organisation, app: IngestRig.app,
                    user: AppUserID(rawValue: users.randomElement(using: &random) ?? ""), events: events,
                    trust: Bool.random(using: &random) ? .attested : .unverified),
                at: IngestRig.noon - .seconds(Int64.random(in: 0...7199, using: &random)),
                from: BrokerUser(of: .attestGateway))
        }
        for number in 0..<12 {
            let user = users.randomElement(using: &random) ?? ""
            let time = times.removeLast()
            let environment = Bool.random(using: &random) ? StoreEnvironment.production : .sandbox
            let namedAt = time + .seconds(Int64.random(in: 0...9000, using: &random))
            let trust = Bool.random(using: &random) ? Trust.attested : .unverified
            // Told again, with an earlier impression.
            for earlier in 0...Int64.random(in: 0...1, using: &random) {
                try send(
                    FunnelFacts.exposure(
                        of: user, at: time - .seconds(earlier * 300), namedAt: namedAt, install: "i\(number)",
                        environment: environment, trust: trust), at: time)
            }
            for revision in 1...Int.random(in: 1...3, using: &random) {
                let id = "t\(number % 8)"
                let told = FunnelFacts.purchase(
                    of: user, at: times.removeLast(), id: id, isHeld: Int.random(in: 0..<4, using: &random) > 0,
                    revision: 10 * number + revision, environment: environment,
                    ownership: Int.random(in: 0..<5, using: &random) == 0 ? "FAMILY_SHARED" : nil)
                // What is told later has the higher revision.
                let toldAt = IngestRig.noon - .seconds(7200 - 55 * (10 * number + revision))
                try send(told, at: toldAt)
                guard Bool.random(using: &random) else { continue }
                try send(
                    FunnelFacts.refund(
                        of: user, id: id, isRefunded: Bool.random(using: &random),
                        percentage: Bool.random(using: &random) ? 50_000 : nil, revision: 10 * number + revision,
                        environment: environment), at: toldAt)
            }
        }
        return letters
    }

    @Test("All orders end in the funnel that the messages say", arguments: [1, 4], [false, true])
    func orders(partitions: Int, isErased: Bool) async throws {
        for seed in 1...UInt64(6) {
            var random = SeededGenerator(seed: seed)
            let rig = try await IngestRig(partitions: partitions)
            var letters = try Self.letters(using: &random)
            let erasure = UserErased(
                organisation: IngestRig.organisation, user: AppUserID(rawValue: Self.users[0]),
                erasedAt: IngestRig.noon - .seconds(3600), erasure: MessageID(rawValue: "erasure"))
            let model = try FunnelModel(of: letters, without: isErased ? erasure : nil)
            if isErased { letters.append(try Letter(erasure, id: "e", at: erasure.erasedAt, from: .load)) }

            try await OrderTests.deliver(letters, to: rig, using: &random)

            let (from, to) = (IngestRig.noon - .seconds(8600), IngestRig.noon - .seconds(7800))
            for environment in [StoreEnvironment.production, .sandbox] {
                for (from, to, trust) in [
                    (nil, nil, nil), (from, to, nil), (nil, nil, .attested), (from, to, .attested),
                    (nil, nil, .unverified),
                ] as [(Timestamp?, Timestamp?, Trust?)] {
                    let found = try await rig.funnel(
                        environment: environment, from: from, to: to, answersTo: "plan", trust: trust)
                    let expected = model.counts(in: environment, by: trust, from: from, to: to)
                    let comment = "seed \(seed), \(environment), \(trust?.rawValue ?? "all")"
                    // Steps of others than those asked about are there; nobody is at them.
                    let stages = found.stages.filter { $0.users > 0 || $0.kind != "step" }
                    if trust == nil {
                        let order = found.stages.compactMap { stage in stage.step.map { "\(stage.index ?? 0) \($0)" } }
                        #expect(order == model.order, "\(comment)")
                    }
                    #expect(found.users == expected.users && found.refunded == expected.refunded, "\(comment)")
                    #expect(stages.map { $0.step ?? $0.kind }.sorted() == expected.reached.keys.sorted(), "\(comment)")
                    for stage in stages {
                        #expect(stage.users == expected.reached[stage.step ?? stage.kind], "\(comment)")
                    }
                    let answers = Dictionary(
                        (found.answers ?? []).map { ($0.value ?? "", [$0.users, $0.purchased]) },
                        uniquingKeysWith: { $1 })
                    #expect(answers == expected.answers, "\(comment)")
                }
            }
        }
    }
}

/// The funnel without a store: every message is looked at for every question.
private struct FunnelModel {
    struct Event {
        var at: Timestamp
        var step: OnboardingStep
        var isAttested: Bool
    }
    struct Exposure {
        var at: Timestamp
        var environment: StoreEnvironment
        var isAttested: Bool
    }
    struct User {
        var events: [Event] = []
        var exposures: [Exposure] = []
        var purchases: [StoreEnvironment: [String: CustomerPurchase]] = [:]
        var refunds: [StoreEnvironment: [String: CustomerRefund]] = [:]
    }
    struct Counts {
        var users = 0
        var refunded = 0
        var reached: [String: Int] = ["paywall": 0, "purchase": 0]
        var answers: [String: [Int]] = [:]
    }

    private var users: [AppUserID: User] = [:]

    init(of letters: [Letter], without erased: UserErased?) throws {
        func isErased(_ user: AppUserID, _ time: Timestamp) -> Bool {
            erased.map { $0.user == user && time <= $0.erasedAt } ?? false
        }
        // Of events with one identity that which an attested caller sent last counts, or anybody if none did.
        var events: [String: (version: (Int, Timestamp, String, Int), user: AppUserID, event: SignpostEvent)] = [:]
        for letter in letters {
            func decoded<Body: Message>(_ type: Body.Type) throws -> Body? {
                letter.kind == type.kind ? try MessageJSON.decode(type, from: letter.body) : nil
            }
            if let message = try decoded(EventsRecord.self), !isErased(message.user, letter.acceptedAt) {
                for (place, event) in message.events.enumerated() {
                    let identity = event.id ?? "\(event.at?.rfc3339 ?? "") \(event.properties ?? [:])"
                    let version = (message.trust == .attested ? 1 : 0, letter.acceptedAt, letter.id.rawValue, place)
                    if let known = events["\(message.user) \(identity)"], known.version > version { continue }
                    events["\(message.user) \(identity)"] = (version, message.user, event)
                }
            }
            if let told = try decoded(PaywallExposed.self), !isErased(told.user, told.namedAt) {
                users[told.user, default: User()].exposures.append(
                    Exposure(
                        at: told.exposedAt, environment: told.environment, isAttested: told.trust == .attested))
            }
            if let told = try decoded(CustomerPurchase.self), !isErased(told.user, letter.acceptedAt) {
                let known = users[told.user]?.purchases[told.environment]?[told.transaction.rawValue]
                guard told.revision > known?.revision ?? 0 else { continue }
                users[told.user, default: User()].purchases[told.environment, default: [:]][told.transaction.rawValue] =
                    told
            }
            if let told = try decoded(CustomerRefund.self), !isErased(told.user, letter.acceptedAt) {
                let known = users[told.user]?.refunds[told.environment]?[told.transaction.rawValue]
                guard told.revision > known?.revision ?? 0 else { continue }
                users[told.user, default: User()].refunds[told.environment, default: [:]][told.transaction.rawValue] =
                    told
            }
        }
        for (version, user, event) in events.values {
            guard case .step(let step) = OnboardingStep.read(event.properties ?? [:]), let at = event.at else {
                continue
            }
            users[user, default: User()].events.append(Event(at: at, step: step, isAttested: version.0 == 1))
        }
    }

    /// The steps in their order.
    var order: [String] {
        var newest: [String: Event] = [:]
        for event in users.values.flatMap(\.events) {
            if let known = newest[event.step.step],
                (known.isAttested ? 1 : 0, known.at) > (event.isAttested ? 1 : 0, event.at)
            {
                continue
            }
            newest[event.step.step] = event
        }
        return newest.values.map { ($0.step.index, $0.step.step) }.sorted { $0 < $1 }.map { "\($0) \($1)" }
    }

    func counts(
        in environment: StoreEnvironment, by trust: Trust?, from: Timestamp?, to: Timestamp?
    ) -> Counts {
        var counts = Counts()
        func isWanted(_ isAttested: Bool) -> Bool { trust.map { ($0 == .attested) == isAttested } ?? true }
        for user in users.values {
            let events = user.events.filter { isWanted($0.isAttested) }
            let exposures = user.exposures.filter { isWanted($0.isAttested) }
            guard trust == nil || !events.isEmpty || !exposures.isEmpty else { continue }
            func bought(_ environment: StoreEnvironment) -> [CustomerPurchase] {
                (user.purchases[environment] ?? [:]).values.filter { $0.isHeld && !$0.isFamilyShared }
            }
            func isThere(_ environment: StoreEnvironment) -> Bool {
                exposures.contains { $0.environment == environment } || !bought(environment).isEmpty
            }
            guard isThere(environment) || (environment == .production && !events.isEmpty && !isThere(.sandbox))
            else { continue }
            let purchases = bought(environment)
            let exposedAt = exposures.filter { $0.environment == environment }.map(\.at).min()
            let times = [events.map(\.at).min(), exposedAt, purchases.map(\.purchasedAt).min()]
            guard let first = times.compactMap(\.self).min(), first >= from ?? .distantPast,
                first < to ?? .distantFuture
            else { continue }
            counts.users += 1
            for step in Set(events.map(\.step.step)) { counts.reached[step, default: 0] += 1 }
            if exposedAt != nil { counts.reached["paywall", default: 0] += 1 }
            if !purchases.isEmpty {
                counts.reached["purchase", default: 0] += 1
                let isRefunded = purchases.allSatisfy { purchase in
                    user.refunds[environment]?[purchase.transaction.rawValue].map {
                        $0.isRefunded && $0.percentage == nil
                    } ?? false
                }
                if isRefunded { counts.refunded += 1 }
            }
            var plans = events.filter { $0.step.step == "plan" }
            if plans.contains(where: \.isAttested) { plans.removeAll { !$0.isAttested } }
            if let answer = plans.filter({ $0.step.value != nil }).max(by: { $0.at < $1.at })?.step.value {
                let known = counts.answers[answer] ?? [0, 0]
                counts.answers[answer] = [known[0] + 1, known[1] + (purchases.isEmpty ? 0 : 1)]
            }
        }
        return counts
    }
}
