internal import Messages
internal import SQLite
internal import Synchronization

/// Of which versions a plan is made: the same versions make the same plan.
struct PlanStamp: Hashable, Sendable {
    struct Version: Hashable, Sendable {
        var id: ExperimentID
        var version: Int
    }

    /// Of the paywall; 0: none.
    var paywall: Int
    /// Of the experiments on it.
    var experiments: [Version]
}

/// What is offered for an entitlement, put together from configuration.
enum PlanStore {
    static func stamp(
        of entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> PlanStamp {
        PlanStamp(
            paywall: try PaywallStore.version(of: entitlement, of: app, of: organisation, in: store),
            experiments: try ExperimentStore.alive(on: entitlement, of: app, of: organisation, in: store))
    }

    /// The plan of a stamp that was read in the same transaction.
    static func plan(
        _ stamp: PlanStamp, of entitlement: EntitlementID, of app: AppID, of organisation: OrganisationID,
        in store: borrowing some Reading & ~Copyable
    ) throws -> PaywallPlan {
        let paywall =
            stamp.paywall > 0
            ? try PaywallStore.current(entitlement, of: app, of: organisation, in: store) : nil
        var plan = PaywallPlan(skus: paywall?.skus ?? [])
        for version in stamp.experiments {
            guard let found = try ExperimentStore.record(of: version.id, of: app, of: organisation, in: store) else {
                continue
            }
            if found.state == .draft {
                plan.drafts.append(found)
            } else if plan.running == nil, found.state == .running {
                plan.running = found
            }
        }
        return plan
    }
}

/// The plans that were looked at last, so that not every request decodes them anew.
///
/// They are kept by the versions that they are made of, and these never change: a plan of another stamp is never taken.
/// Filled from snapshots alone, for what a transaction sees may be rolled back.
final class PlanCache: Sendable {
    private struct Name: Hashable {
        var organisation: OrganisationID
        var app: AppID
        var entitlement: EntitlementID
    }

    private static let capacity = 1_000
    private let plans = Mutex<[Name: (stamp: PlanStamp, plan: PaywallPlan)]>([:])

    func plan(for request: PaywallResolve, in snapshot: borrowing Snapshot) throws -> PaywallPlan {
        let (entitlement, app, organisation) = (request.entitlement, request.app, request.organisation)
        let stamp = try PlanStore.stamp(of: entitlement, of: app, of: organisation, in: snapshot)
        // Callers may ask for anything; what nobody has configured takes no room.
        if stamp == PlanStamp(paywall: 0, experiments: []) { return PaywallPlan() }
        let name = Name(organisation: organisation, app: app, entitlement: entitlement)
        if let known = plans.withLock({ $0[name] }), known.stamp == stamp { return known.plan }
        let plan = try PlanStore.plan(stamp, of: entitlement, of: app, of: organisation, in: snapshot)
        plans.withLock { plans in
            if plans.count >= Self.capacity { plans.removeAll(keepingCapacity: true) }
            plans[name] = (stamp, plan)
        }
        return plan
    }
}
