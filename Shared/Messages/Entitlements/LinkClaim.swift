/// This transaction belongs to this user, says somebody. Sent by edges (unverified or attested) and by
/// receipt-validator (verified). Key: `<organisation>/<originalTransactionID>`.
///
/// The envelope's `accepted_at` with its message id is the claim's version.
public struct LinkClaim: Command {
    /// `link.claim.v1`
    public static let kind: MessageKind = "link.claim.v1"
    /// The resolver.
    public static let recipient = ServiceName.entitlementResolver

    /// Whose app it is.
    public var organisation: OrganisationID
    /// The app through which it was claimed.
    public var app: AppID
    /// The transaction.
    public var originalTransactionID: OriginalTransactionID
    /// The user.
    public var user: AppUserID
    /// How strong the claim is. Believed above unverified only from edge and validator.
    public var rank: ClaimRank
    /// The artifact that the rank rests on; absent: on none.
    public var digest: ArtifactDigest?
    /// How strong the claim is once that artifact counts no more; absent: unverified.
    public var rankWithout: ClaimRank?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, originalTransactionID: OriginalTransactionID, user: AppUserID,
        rank: ClaimRank, digest: ArtifactDigest? = nil, rankWithout: ClaimRank? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.originalTransactionID = originalTransactionID
        self.user = user
        self.rank = rank
        self.digest = digest
        self.rankWithout = rankWithout
    }

    /// Organisation and original transaction.
    public var key: String { Key.transaction(organisation, originalTransactionID) }
}
