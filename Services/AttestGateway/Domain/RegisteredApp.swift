internal import Messages

/// An app as the registry keeps it: the record that everybody sees, and which command decided each of its settings.
///
/// Commands may come late, twice, or after others that are newer: for each setting the newest command counts.
struct RegisteredApp: Sendable, Equatable {
    /// The command that decided a setting.
    struct Decision: Sendable, Equatable, Comparable, Codable {
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

    /// How many secrets for notifications are good at a time: one, and the one before it for a while.
    static let mostNotificationTokens = 2

    var record: AppRecord
    /// Who decided what, beside what was decided when the app was new.
    var decisions = Decisions()

    /// For each setting the command that decided it.
    struct Decisions: Sendable, Equatable {
        var policy = Decision.none
        var grant = Decision.none
        var purchaseKeys = Decision.none
        var team = Decision.none
        var appleID = Decision.none
        var notificationToken = Decision.none
        var environments = Decision.none
        var limits = Limits()

        /// For each limit the command that decided it.
        struct Limits: Sendable, Equatable, Codable {
            var attested = Decision.none
            var device = Decision.none
            var address = Decision.none
            var users = Decision.none
        }
    }

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
                    version: 0, changedAt: decision.at))
        if let roots = command.testRoots, Set(roots) != Set(next.record.testRoots) {
            return .refused(
                Refusal("test_root_fixed", "The test roots of \(command.app) were decided when it was connected"))
        }
        next.take(command, decision)
        guard next.record != app?.record else { return .unchanged(next) }
        next.record.version = version
        next.record.changedAt = max(next.record.changedAt, decision.at)
        return .changed(next)
    }

    private mutating func take(_ command: AppPut, _ decision: Decision) {
        let set = record.set(by: command)
        func take<Value>(
            _ setting: WritableKeyPath<AppRecord, Value>, if isNamed: Bool,
            _ decided: WritableKeyPath<Decisions, Decision>
        ) {
            guard isNamed, decision.overtakes(&decisions[keyPath: decided]) else { return }
            record[keyPath: setting] = set[keyPath: setting]
        }
        take(\.linkMovePolicy, if: command.linkMovePolicy != nil, \.policy)
        take(\.unverifiedLinksGrant, if: command.unverifiedLinksGrant != nil, \.grant)
        take(\.purchaseKeys, if: command.purchaseKeys != nil, \.purchaseKeys)
        take(\.teamID, if: command.teamID != nil, \.team)
        take(\.appleID, if: command.appleID != nil, \.appleID)
        take(\.attestEnvironments, if: command.attestEnvironments != nil, \.environments)
        takeNotificationToken(command, decision)
        takeLimits(command, set, decision)
    }

    private mutating func takeLimits(_ command: AppPut, _ set: AppRecord, _ decision: Decision) {
        guard let asked = command.limits else { return }
        var limits = record.limits ?? AppLimits()
        func take(_ limit: WritableKeyPath<AppLimits, Int?>, _ decided: WritableKeyPath<Decisions, Decision>) {
            guard asked[keyPath: limit] != nil, decision.overtakes(&decisions[keyPath: decided]) else { return }
            limits[keyPath: limit] = set.limits?[keyPath: limit]
        }
        take(\.attestedPerMinute, \.limits.attested)
        take(\.devicePerMinute, \.limits.device)
        take(\.addressPerMinute, \.limits.address)
        take(\.usersPerMinute, \.limits.users)
        record.limits = limits == AppLimits() ? nil : limits
    }

    /// The tool sends a fresh token with every command, and whoever asks for nothing else means the one that is there.
    private mutating func takeNotificationToken(_ command: AppPut, _ decision: Decision) {
        guard let digest = command.notificationTokenDigest else { return }
        let known = record.notificationTokens ?? []
        let overlap = command.oldNotificationTokenSeconds
        guard known.isEmpty || overlap != nil, known.first?.digest != digest,
            decision.overtakes(&decisions.notificationToken)
        else { return }
        let end = decision.at + .seconds(overlap ?? 0)
        let old = known.map { NotificationToken(digest: $0.digest, until: min($0.until ?? end, end)) }
            .filter { $0.digest != digest && $0.isGood(at: decision.at) }
        record.notificationTokens = Array(
            ([NotificationToken(digest: digest)] + old).prefix(Self.mostNotificationTokens))
    }
}

extension RegisteredApp.Decision {
    /// Whether it is newer than what decided until now; if so, it takes its place.
    fileprivate func overtakes(_ decided: inout Self) -> Bool {
        guard self > decided else { return false }
        decided = self
        return true
    }
}
