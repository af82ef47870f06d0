package import Messages

/// One entitlement of a user in one app and environment.
package struct EntitlementName: Hashable, Sendable {
    package var app: AppID
    package var environment: StoreEnvironment
    package var entitlement: EntitlementID

    package init(_ app: AppID, _ environment: StoreEnvironment, _ entitlement: EntitlementID) {
        self.app = app
        self.environment = environment
        self.entitlement = entitlement
    }
}

/// What has to be told about a user's entitlements, given what was told last.
///
/// Only what is active is remembered: what was never active, or has been told to be inactive, is no news.
package struct EntitlementChanges: Sendable {
    /// What to tell, and what to remember in its place: nil forgets it.
    package struct Change: Hashable, Sendable {
        package var name: EntitlementName
        package var state: EntitlementState
    }

    package let changes: [Change]

    /// - Parameters:
    ///   - told: the active states that were told last.
    ///   - states: all states as they are now.
    package init(from told: [EntitlementName: EntitlementState], to states: [EntitlementName: EntitlementState]) {
        let names = Set(told.keys).union(states.keys).sorted {
            ($0.app, $0.environment, $0.entitlement) < ($1.app, $1.environment, $1.entitlement)
        }
        changes = names.compactMap { name in
            let before = told[name]
            switch states[name] {
            case let now? where now.isActive: return now == before ? nil : Change(name: name, state: now)
            case let ended: return before.map { Change(name: name, state: ended ?? $0.withdrawn) }
            }
        }
    }
}

extension EntitlementState {
    /// Inactive without having run out: the link moved, or the product is mapped no more.
    fileprivate var withdrawn: EntitlementState {
        var state = self
        state.isActive = false
        state.since = nil
        state.until = nil
        state.reason = nil
        state.willRenew = nil
        state.renewsAs = nil
        return state
    }
}
