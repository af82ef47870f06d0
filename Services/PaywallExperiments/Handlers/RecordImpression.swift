package import Lane
package import Messages
package import SQLite

/// `impression.record.v1`: keeps what was rendered, and exposes the install by the first of its impressions.
package struct RecordImpression: MessageHandler {
    /// More than any paywall shows.
    static let mostSKUs = 100
    /// As much as the edge lets through; a storefront has three letters, or is like `143441-1,29`.
    static let longestStorefront = 32

    package init() {}

    package func apply(
        _ message: ImpressionRecord, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        guard message.renderedSkus.count <= Self.mostSKUs else { return .refused(.tooManySKUs) }
        guard message.renderedSkus.allSatisfy(\.isAcceptable), message.isAcceptable else {
            return .refused(.identifierUnacceptable)
        }
        let install = AppInstall(message.organisation, message.app, message.install)
        guard
            let assignment = try AssignmentStore.all(
                of: message.install, of: message.app, of: message.organisation, in: message.experiment,
                in: transaction
            ).chosen(by: message.environment?.kept)
        else { return .refused(.notAssigned) }
        // Trust is the edge's to say.
        let trust = context.isFrom(.attestGateway) ? message.trust.asCaller : .unverified
        let stratum = ExperimentTally.Stratum(
            epoch: assignment.epoch, variant: assignment.variant, environment: assignment.environment, trust: trust)
        let experiment = try ExperimentStore.record(
            of: message.experiment, of: message.app, of: message.organisation, in: transaction)
        let offered = experiment?.skus(of: assignment.variant)?.map(\.product) ?? []
        let rendered = Set(message.renderedSkus)
        try ImpressionStore.record(
            message, context.id, at: context.acceptedAt, as: stratum, shown: offered.filter(rendered.contains),
            in: transaction)

        let known = try ExposureStore.row(of: install, message.experiment, assignment.environment, in: transaction)
        if let known, !known.isAfter(context, trust) { return .applied }
        let exposure = Exposure(
            field: .init(
                app: message.app, experiment: message.experiment, environment: assignment.environment),
            trust: trust, install: message.install, variant: assignment.variant, epoch: assignment.epoch,
            exposedAt: context.acceptedAt)
        try ExposureStore.save(.init(exposure: exposure, message: context.id), of: install, in: transaction)
        let holder = AssignmentStore.Holder(
            organisation: message.organisation, app: message.app, install: message.install,
            environment: assignment.environment)
        for named in try InstallUserStore.all(of: holder, in: transaction) {
            try outgoing.publish(
                PaywallExposed(exposure, of: install.organisation, named.user, namedAt: named.namedAt))
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

extension ExposureStore.Row {
    /// Whether an impression came before the one that is known: of one moment the attested one is the first.
    fileprivate func isAfter(_ other: MessageContext, _ trust: Trust) -> Bool {
        (exposure.exposedAt, exposure.trust, message.rawValue) > (other.acceptedAt, trust, other.id.rawValue)
    }
}

extension [Assignment] {
    /// That of the environment, if it is told; otherwise of production, or of the only other one.
    fileprivate func chosen(by environment: StoreEnvironment?) -> Assignment? {
        if let environment { return first { $0.environment == environment } }
        return first { $0.environment == .production } ?? self.min { $0.environment < $1.environment }
    }
}

extension Refusal {
    static let notAssigned = Refusal("not_assigned", "The install has no variant of such an experiment")
    static let tooManySKUs = Refusal("too_many_skus", "A paywall shows up to \(RecordImpression.mostSKUs) products")
}
