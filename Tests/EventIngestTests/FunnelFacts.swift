import Lane
import Messages
import SQLite
import TestSupport

@testable import EventIngest

/// Facts of the funnel as other services and callers tell them; times are hours after noon of day 0.
enum FunnelFacts {
    static func hour(_ number: Double) -> Timestamp { IngestRig.noon + .milliseconds(Int64(number * 3_600_000)) }

    static func step(
        _ step: String, index: Int64, value: String? = nil, at time: Timestamp, id: String? = nil
    ) -> SignpostEvent {
        var properties: [String: AttributeValue] = ["step": .text(step), "index": .integer(index)]
        properties["value"] = value.map(AttributeValue.text)
        return SignpostEvent(name: .onboardingStep, id: id, at: time, properties: properties)
    }

    static func exposure(
        of user: String, at time: Timestamp, namedAt: Timestamp? = nil, install: String = "i",
        environment: StoreEnvironment = .production, trust: Trust = .attested
    ) -> PaywallExposed {
        PaywallExposed(
            organisation: IngestRig.organisation, app: IngestRig.app, user: AppUserID(rawValue: user),
            namedAt: namedAt ?? time, install: InstallID(rawValue: install), experiment: ExperimentID(rawValue: "e"),
            variant: VariantKey(rawValue: "a"), epoch: 1, environment: environment, trust: trust, exposedAt: time)
    }

    static func purchase(
        of user: String, at time: Timestamp, id: String = "t", isHeld: Bool = true, revision: Int = 1,
        app: AppID? = IngestRig.app, environment: StoreEnvironment = .production, ownership: String? = nil
    ) -> CustomerPurchase {
        var told = CustomerPurchase(
            organisation: IngestRig.organisation, app: app, realm: .stores, environment: environment,
            user: AppUserID(rawValue: user), transaction: TransactionID(rawValue: id),
            originalTransaction: OriginalTransactionID(rawValue: id), product: ProductID(rawValue: "pro"),
            purchasedAt: time, chainBeganAt: time, rank: .verified, linkedAt: time, isHeld: isHeld, revision: revision)
        told.ownership = ownership
        return told
    }

    static func refund(
        of user: String, id: String = "t", isRefunded: Bool = true, percentage: Int64? = nil, revision: Int = 1,
        environment: StoreEnvironment = .production
    ) -> CustomerRefund {
        CustomerRefund(
            organisation: IngestRig.organisation, app: IngestRig.app, realm: .stores, environment: environment,
            user: AppUserID(rawValue: user), transaction: TransactionID(rawValue: id),
            originalTransaction: OriginalTransactionID(rawValue: id), isRefunded: isRefunded, refundedAt: hour(1),
            percentage: percentage, revision: revision)
    }
}

extension IngestRig {
    /// What another service tells.
    func tell(_ event: some Event, id: String, at time: Timestamp = noon) async throws {
        try await settle(
            Letter(event, id: id, at: time, from: BrokerUser(of: type(of: event).owner)), now: time)
    }

    /// Asks every partition, as tool and edge do.
    func funnel(
        environment: StoreEnvironment? = nil, from: Timestamp? = nil, to: Timestamp? = nil, answersTo: String? = nil,
        trust: Trust? = nil
    ) async throws -> Funnel {
        try await ringAlarms(now: FunnelFacts.hour(1000))
        let question = FunnelCount(
            partition: 0, organisation: Self.organisation, app: Self.app, steps: [], environment: environment,
            from: from, to: to, answersTo: answersTo, trust: trust)
        let survey = FunnelSurvey(question) {
            try await self.answer($0, by: ListFunnelSteps(partitions: self.count.rawValue))
        } askCount: {
            try await self.answer($0, by: CountFunnel())
        }
        return try await survey.funnel(by: survey.steps())
    }

    /// What a handler answers in the partition that the query names.
    private func answer<Handler: QueryHandler>(
        _ query: Handler.Body, by handler: Handler
    ) async throws -> Handler.Body.Value where Handler.Body: NamingPartition {
        let verdict = try await partitions[query.partition].read { try handler.answer(query, in: $0) }
        guard case .applied(let value) = verdict else { throw TestFailure("\(verdict)") }
        return value
    }
}
