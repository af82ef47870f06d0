internal import Messages

/// An app as the registry keeps it: the record that everybody sees, and which command decided each of its settings.
///
/// Commands may come late, twice, or after others that are newer: for each setting the newest command counts.
struct RegisteredApp: Sendable, Equatable {
    /// The command that decided a setting.
    struct Decision: Sendable, Equatable, Comparable {
        /// When it was accepted.
        let at: Timestamp
        /// Its id; decides between two of the same millisecond.
        let by: MessageID

        /// Nobody's: a default.
        static let none = Decision(at: .distantPast, by: MessageID(rawValue: ""))

        static func < (left: Decision, right: Decision) -> Bool { (left.at, left.by) < (right.at, right.by) }
    }

    /// What a command does to an app.
    enum Outcome: Sendable, Equatable {
        /// Nothing that anybody can see; what decided it may be newer.
        case unchanged(RegisteredApp)
        /// The record is another one.
        case changed(RegisteredApp)
        /// The answer is no.
        case refused(Refusal)
    }

    var record: AppRecord
    var policyDecision: Decision
    var grantDecision: Decision

    /// The app after `command`; what the command leaves out stays as it is.
    ///
    /// - Parameters:
    ///   - app: as it was; nil if it is new.
    ///   - version: what a changed record gets.
    static func after(_ command: AppPut, _ decision: Decision, from app: RegisteredApp?, version: Int) -> Outcome {
        var next =
            app
            ?? RegisteredApp(
                record: AppRecord(
                    organisation: command.organisation, app: command.app, testRoots: command.testRoots ?? [],
                    version: 0, changedAt: decision.at),
                policyDecision: .none, grantDecision: .none)
        if let roots = command.testRoots, Set(roots) != Set(next.record.testRoots) {
            return .refused(
                Refusal("test_root_fixed", "The test roots of \(command.app) were decided when it was connected"))
        }
        if let policy = command.linkMovePolicy, decision > next.policyDecision {
            next.record.linkMovePolicy = policy
            next.policyDecision = decision
        }
        if let grant = command.unverifiedLinksGrant, decision > next.grantDecision {
            next.record.unverifiedLinksGrant = grant
            next.grantDecision = decision
        }
        guard next.record != app?.record else { return .unchanged(next) }
        next.record.version = version
        next.record.changedAt = max(next.record.changedAt, decision.at)
        return .changed(next)
    }
}
