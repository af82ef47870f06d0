internal import Crypto
package import Lane
package import Messages
package import SQLite

/// `paywall.resolve.v1`, in the partition of the install: what it is offered.
///
/// The first fetch in an experiment stores the variant; from then on it stays, whatever becomes of arms and weights. An
/// install that takes part has its users kept as well, so that what they buy finds what it has seen.
package struct ResolvePaywall: SettlingHandler {
    private let plans = PlanCache()

    package init() {}

    package func settled(
        _ request: PaywallResolve, _ context: MessageContext, in snapshot: borrowing Snapshot
    ) throws -> Verdict<PaywallOffer>? {
        guard request.isAcceptable else { return .refused(.identifierUnacceptable) }
        let plan = try plans.plan(for: request, in: snapshot)
        let next = try Next(request, by: plan, in: snapshot)
        return next.hasNothingToKeep ? .applied(next.offer) : nil
    }

    package func apply(
        _ request: PaywallResolve, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<PaywallOffer> {
        guard request.isAcceptable else { return .refused(.identifierUnacceptable) }
        let (entitlement, app, organisation) = (request.entitlement, request.app, request.organisation)
        let stamp = try PlanStore.stamp(of: entitlement, of: app, of: organisation, in: transaction)
        let plan = try PlanStore.plan(stamp, of: entitlement, of: app, of: organisation, in: transaction)
        let next = try Next(request, by: plan, in: transaction)
        if let new = next.assignment {
            let assignment = Assignment(
                experiment: new.experiment, environment: next.holder.environment, variant: new.variant,
                epoch: new.epoch, trust: request.trust.asCaller, assignedAt: context.acceptedAt)
            try AssignmentStore.record(assignment, of: next.holder, bucket: context.bucket, in: transaction)
            try outgoing.publish(
                PaywallAssigned(
                    organisation: organisation, app: app, install: request.install, user: request.user,
                    entitlement: entitlement, experiment: assignment.experiment, variant: assignment.variant,
                    epoch: assignment.epoch, environment: assignment.environment, trust: assignment.trust,
                    assignedAt: assignment.assignedAt))
        }
        if let attested = next.attested {
            try AssignmentStore.attest(next.holder, in: attested, in: transaction)
        }
        if next.isUserNews {
            let news = InstallUserStore.Named(
                user: request.user, namedAt: context.acceptedAt, isAttested: request.trust.asCaller == .attested)
            try InstallUserStore.record(news, of: next.holder, bucket: context.bucket, in: transaction)
            let named = try InstallUserStore.named(request.user, of: next.holder, in: transaction) ?? news
            try PaywallExposed.publishAll(of: next.holder, to: named, in: transaction, outgoing: &outgoing)
        }
        return .applied(next.offer)
    }
}

/// What is to be answered, and what is to be kept.
private struct Next {
    let holder: AssignmentStore.Holder
    let offer: PaywallOffer
    private(set) var assignment: (experiment: ExperimentID, variant: VariantKey, epoch: Int)?
    /// The experiment in which a genuine app has been seen for the first time.
    private(set) var attested: ExperimentID?
    /// He is named for the first time, or by an attested caller for the first time.
    private(set) var isUserNews = false

    var hasNothingToKeep: Bool { assignment == nil && attested == nil && !isUserNews }

    init(
        _ request: PaywallResolve, by plan: PaywallPlan, in store: borrowing some Reading & ~Copyable
    ) throws {
        holder = AssignmentStore.Holder(
            organisation: request.organisation, app: request.app, install: request.install,
            environment: request.environment.kept)
        var stored: Assignment?
        if let running = plan.running {
            stored = try AssignmentStore.assignment(of: holder, in: running.id, in: store)
        }
        let takesPart: Bool
        switch plan.decide(
            request, environment: holder.environment, stored: stored, sha256: { Digest.sha256($0) })
        {
        case .offer(let offer):
            self.offer = offer
            takesPart = try offer.isForced != true && AssignmentStore.isAny(of: holder, in: store)
        case .again(let offer, let known):
            self.offer = offer
            takesPart = true
            if request.trust.asCaller == .attested, known.trust != .attested { attested = known.experiment }
        case .assign(let offer, let variant, let epoch):
            self.offer = offer
            takesPart = true
            assignment = offer.experiment.map { ($0, variant, epoch) }
        }
        if takesPart {
            isUserNews = try InstallUserStore.isNews(
                request.user, isAttested: request.trust.asCaller == .attested, of: holder, in: store)
        }
    }
}

extension PaywallResolve {
    fileprivate var isAcceptable: Bool { install.isAcceptable && user.isAcceptable && entitlement.isAcceptable }
}
