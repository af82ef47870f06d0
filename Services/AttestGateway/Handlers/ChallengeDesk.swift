internal import Lane
internal import Messages
internal import SQLite

/// What attestation and assertion have in common: for an app that can be attested, and against a challenge that is spent
/// by it, whatever comes of it.
enum ChallengeDesk {
    /// Judges a request against its challenge, once: the same one again gets the first outcome.
    ///
    /// - Parameter judge: gets the app and its team.
    static func spend(
        _ use: ChallengeUse, for app: AppID, of organisation: OrganisationID, _ context: MessageContext,
        in transaction: borrowing Transaction,
        judge: (AppRecord, TeamID) throws -> Verdict<DeviceStanding>
    ) throws -> Verdict<DeviceStanding> {
        guard let record = try AppStore.app(app, of: organisation, in: transaction)?.record else {
            return .refused(.appUnknown)
        }
        guard let team = record.teamID else { return .refused(.teamMissing) }
        switch use.standing(spent: try SpentChallengeStore.spent(use, in: transaction), now: context.now) {
        case .repeated(let outcome): return try Verdict(outcome)
        case .refused(let refusal): return .refused(refusal)
        case .good: break
        }
        let verdict = try judge(record, team)
        try SpentChallengeStore.spend(
            use, outcome: try MessageJSON.encode(verdict.answer), bucket: context.bucket, in: transaction)
        return verdict
    }
}

extension Verdict<DeviceStanding> {
    /// As it travels and is kept.
    fileprivate var answer: Answer<DeviceStanding> {
        switch self {
        case .applied(let standing), .overtaken(let standing): .applied(standing)
        case .refused(let refusal): .refused(refusal)
        }
    }

    /// As it was kept.
    fileprivate init(_ outcome: [UInt8]) throws {
        self =
            switch try MessageJSON.decode(Answer<DeviceStanding>.self, from: outcome) {
            case .applied(let standing): .applied(standing)
            case .refused(let refusal), .failed(let refusal): .refused(refusal)
            }
    }
}
