package import Lane
package import Messages
package import SQLite

/// `impression.record.v1`: keeps what was rendered, and exposes the install by the first of its impressions, the first that
/// is attested before all others.
package struct RecordImpression: MessageHandler {
    /// As much as the edge lets through; a storefront has three letters, or is like `143441-1,29`.
    static let longestStorefront = 32

    package init() {}

    package func apply(
        _ message: ImpressionRecord, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard message.renderedSkus.count <= PaywallSKU.mostOffers else { return .refused(.tooManySKUs) }
        guard message.renderedSkus.allSatisfy(\.isAcceptable), message.isAcceptable else {
            return .refused(.identifierUnacceptable)
        }
        let install = AppInstall(message.organisation, message.app, message.install)
        // Trust is the edge's to say.
        let trust = context.isFrom(.attestGateway) ? message.trust.asCaller : .unverified
        guard
            let assignment = try AssignmentStore.all(
                of: message.install, of: message.app, of: message.organisation, in: message.experiment,
                in: transaction
            ).chosen(by: message.environment?.kept, at: context.acceptedAt, trust)
        else { return .refused(.notAssigned) }
        let stratum = ExperimentTally.Stratum(
            epoch: assignment.epoch, variant: assignment.variant, environment: assignment.environment, trust: trust)
        let experiment = try ExperimentStore.record(
            of: message.experiment, of: message.app, of: message.organisation, in: transaction)
        let offered = experiment?.skus(of: assignment.variant)?.map(\.product) ?? []
        let rendered = Set(message.renderedSkus)
        try ImpressionStore.record(
            message, context.id, at: context.acceptedAt, as: stratum, shown: offered.filter(rendered.contains),
            in: transaction)

        let exposure = Exposure(
            field: .init(
                app: message.app, experiment: message.experiment, environment: assignment.environment),
            trust: trust, install: message.install, variant: assignment.variant, epoch: assignment.epoch,
            // Nobody has seen a variant before he had it: who could say so would make it mature at once.
            exposedAt: max(context.acceptedAt, assignment.assignedAt))
        let known = try ExposureStore.exposure(of: install, exposure.field, in: transaction)
        let now = known?.joined(with: exposure) ?? exposure
        guard now != known else { return .applied }
        try ExposureStore.save(now, of: install, in: transaction)
        let holder = AssignmentStore.Holder(
            organisation: message.organisation, app: message.app, install: message.install,
            environment: assignment.environment)
        for named in try InstallUserStore.all(of: holder, in: transaction) {
            let told = now.told(toAttested: named.isAttested)
            guard told != known?.told(toAttested: named.isAttested) else { continue }
            try outgoing.publish(PaywallExposed(told, of: install.organisation, named.user, namedAt: named.namedAt))
        }
        return .applied
    }
}

extension ImpressionRecord {
    fileprivate var isAcceptable: Bool {
        install.isAcceptable && experiment.isAcceptable
            && (storefront.map { $0.utf8.count <= RecordImpression.longestStorefront } ?? true)
    }
}

extension [Assignment] {
    /// That of the environment, if it is told; otherwise the one in which the install was assigned last before: whoever has
    /// bought an app and then looks at a test build of it is a tester from there on, and the other way round. Where a
    /// genuine app was assigned, nobody else makes it a tester's.
    fileprivate func chosen(
        by environment: StoreEnvironment?, at time: Timestamp, _ trust: Trust
    ) -> Assignment? {
        if let environment { return first { $0.environment == environment } }
        let attested = trust == .attested ? filter { $0.trust == .attested } : []
        let possible = attested.isEmpty ? self : attested
        let known = possible.filter { $0.assignedAt <= time }
        return known.max { $0.isBefore($1) } ?? possible.min { $0.isBefore($1) }
    }
}

extension Assignment {
    /// Of one moment that of production is the earlier, so that the other counts.
    fileprivate func isBefore(_ other: Assignment) -> Bool {
        func place(_ one: Assignment) -> (Timestamp, Int, StoreEnvironment) {
            (one.assignedAt, one.environment == .production ? 0 : 1, one.environment)
        }
        return place(self) < place(other)
    }
}

extension Refusal {
    static let notAssigned = Refusal("not_assigned", "The install has no variant of such an experiment")
    static let tooManySKUs = Refusal("too_many_skus", "A paywall shows up to \(PaywallSKU.mostOffers) products")
}
