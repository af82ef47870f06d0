import Foundation
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import TestSupport
import Testing

@Suite("Authors", .timeLimit(.minutes(1)))
struct AuthorTests {
    static let event = TransactionVerified(
        organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "app"), isTest: false,
        digest: ArtifactDigest(rawValue: "d"),
        transaction: StoreTransaction(
            id: TransactionID(rawValue: "1"), originalID: OriginalTransactionID(rawValue: "1"),
            product: ProductID(rawValue: "p"), environment: .production, purchasedAt: Timestamp(clamping: 0),
            signedAt: Timestamp(clamping: 0)))
    static let route = Route.event(TransactionVerified.kind, event.bucket)

    private func send(
        _ bench: Workbench, id: String, as user: BrokerUser?, firstUser: String? = nil, by route: Route = route
    ) throws {
        var envelope = try bench.envelope(Self.event, id: id)
        envelope.firstUser = firstUser
        bench.broker.inject(envelope, to: route, as: user)
    }

    @Test("An event is taken from its owner, and from nobody else, by whatever way it comes")
    func owner() async throws {
        let bench = try await Workbench()
        let command = Route.command(Workbench.service, Self.event.bucket)
        try await bench.whileWorking { work in
            try send(bench, id: "genuine", as: BrokerUser(of: .receiptValidator))
            try send(bench, id: "unnamed", as: nil)
            try send(bench, id: "load", as: .load, by: command)
            try send(bench, id: "gateway", as: BrokerUser(of: .attestGateway))
            try send(bench, id: "taker", as: Workbench.user)
            try send(bench, id: "requeued", as: .load, by: .requeue(Workbench.service, partition: 0))
            try send(bench, id: "lookalike", as: BrokerUser(rawValue: "receipt-validator "))
            await bench.settle()

            #expect(try await work.contexts().map(\.id) == ["genuine"])
            let letters = try await work.letters()
            #expect(letters.map(\.id) == ["unnamed", "load", "gateway", "taker", "requeued", "lookalike"])
            #expect(letters.allSatisfy { $0.reason == "not_from_owner" && $0.step == "decode" })
        }
    }

    @Test("A first user is a disguise from anybody but the service itself")
    func disguise() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try send(bench, id: "stranger", as: .load, firstUser: "receipt-validator")
            try send(bench, id: "unnamed", as: nil, firstUser: "receipt-validator")
            try send(bench, id: "gateway", as: BrokerUser(of: .attestGateway), firstUser: "receipt-validator")
            try send(bench, id: "copy of a forgery", as: Workbench.user, firstUser: "tollgate-load")
            try send(bench, id: "copy of the unnamed", as: Workbench.user, firstUser: "")
            try send(bench, id: "copy", as: Workbench.user, firstUser: "receipt-validator")
            // Its owner need not be believed about somebody else either.
            try send(bench, id: "owner", as: BrokerUser(of: .receiptValidator), firstUser: "tollgate-load")
            await bench.settle()

            #expect(try await work.contexts().map(\.id) == ["copy", "owner"])
            #expect(try await work.contexts().map(\.author) == ["receipt-validator", "receipt-validator"])
            #expect(try await work.letters().map(\.reason) == Array(repeating: "not_from_owner", count: 5))
        }
    }

    @Test("Anybody's command is taken, and its handler is told whose it is")
    func anybody() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            try bench.send(Deposit(account: "a"), id: "load", as: .load)
            try bench.send(Deposit(account: "a"), id: "unnamed", as: nil)
            try bench.send(Deposit(account: "a"), id: "gateway", as: BrokerUser(of: .attestGateway))
            await bench.settle()

            #expect(try await work.contexts().map(\.author) == ["tollgate-load", nil, "attest-gateway"])
        }
    }

    @Test("Who sent it at first is known after the ladder, and cannot be made up on the way")
    func throughTheLadder() async throws {
        let bench = try await Workbench()
        try await bench.whileWorking { work in
            let until = bench.clock.now + .seconds(1)
            var disguised = try bench.envelope(Deposit(account: "a", deed: .wait, until: until), id: "load")
            disguised.firstUser = "receipt-validator"
            bench.send(disguised, for: "a")
            try bench.send(Deposit(account: "a", amount: 2, deed: .wait, until: until), id: "unnamed", as: nil)
            try bench.send(
                Deposit(account: "a", amount: 3, deed: .wait, until: until), id: "gateway",
                as: BrokerUser(of: .attestGateway))
            await bench.settle()
            bench.clock.advance(by: .seconds(1))
            bench.broker.passTime(.milliseconds(50))
            await bench.settle()

            let told = try await work.contexts().map { [$0.id, $0.author] }
            #expect(told == [["load", "tollgate-load"], ["unnamed", ""], ["gateway", "attest-gateway"]])
        }
    }
}
