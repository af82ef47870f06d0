/// An operator gives a chain back to somebody who had it, or claimed it, and pins it there: no claim moves it any more.
/// Sent by the operator's tool. Key: `<organisation>/<originalTransactionID>`.
///
/// A ruling is a claim of the rank ``ClaimRank/pinned``, with its place among the others by `accepted_at`. Refused:
/// `claimant_unknown`, `holder_changed`.
public struct LinkUndo: Command {
    /// `link.undo.v1`
    public static let kind: MessageKind = "link.undo.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The chain as it is then.
    public typealias Value = LinkRuling

    /// Whose app it is.
    public var organisation: OrganisationID
    /// An app of the chain's realm.
    public var app: AppID
    /// The chain.
    public var originalTransactionID: OriginalTransactionID
    /// Who gets it.
    public var user: AppUserID
    /// Who has it, as the operator saw it; absent: nobody. If it is another one by now, nothing is done.
    public var holder: AppUserID?
    /// Who rules, for the audit trail.
    public var by: String
    /// Why.
    public var why: String?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, originalTransactionID: OriginalTransactionID, user: AppUserID,
        holder: AppUserID?, by: String, why: String? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.originalTransactionID = originalTransactionID
        self.user = user
        self.holder = holder
        self.by = by
        self.why = why
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, originalTransactionID) }
}

/// An operator lifts a pin: the chain stays whose it is, on the grounds of his own claims, and may move again. Sent by the
/// operator's tool. Key: `<organisation>/<originalTransactionID>`. Refused: `not_pinned`.
public struct LinkUnpin: Command {
    /// `link.unpin.v1`
    public static let kind: MessageKind = "link.unpin.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver
    /// The operator.
    public static let authors: [BrokerUser]? = [.operatorTool]
    /// The chain as it is then.
    public typealias Value = LinkRuling

    /// Whose app it is.
    public var organisation: OrganisationID
    /// An app of the chain's realm.
    public var app: AppID
    /// The chain.
    public var originalTransactionID: OriginalTransactionID
    /// Who rules, for the audit trail.
    public var by: String
    /// Why.
    public var why: String?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, originalTransactionID: OriginalTransactionID, by: String,
        why: String? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.originalTransactionID = originalTransactionID
        self.by = by
        self.why = why
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, originalTransactionID) }
}

/// What a chain is after an operator's word about it. It names no user: answers are kept for days beside the ids of messages,
/// and nobody would find him there.
public struct LinkRuling: Codable, Sendable, Hashable {
    /// How strong the claim behind the link is; absent: it is nobody's.
    public var rank: ClaimRank?
    /// Since when it is his whose it is.
    public var since: Timestamp?
    /// The chain's revision.
    public var revision: Int

    /// A ruling of these.
    public init(rank: ClaimRank?, since: Timestamp?, revision: Int) {
        self.rank = rank
        self.since = since
        self.revision = revision
    }
}
