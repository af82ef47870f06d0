/// A device asks to be enrolled: verified by the registry, which spends the challenge whatever the verdict.
///
/// Sent by edges. Taken by the registry. Key: organisation, app and key id. The challenge is what makes a repeat
/// harmless: the same fields again get the first outcome for ``repeatable``, other ones
/// `challenge_used`. An edge refuses a challenge by itself only if its HMAC is wrong, or if it ran out so long ago that
/// no first outcome is kept for it; else the registry says whether it has expired.
///
/// Refused: `app_unknown`, `team_id_missing` (neither spends the challenge), `challenge_expired`, `challenge_used`,
/// `device_revoked`, and what ``Refusal/attestation`` names.
public struct AttestationSubmit: Request {
    /// `attestation.submit.v1`
    public static let kind: MessageKind = "attestation.submit.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// Edges: they have looked at the challenge.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .attestGateway)]
    /// The device, for the token.
    public typealias Value = DeviceStanding

    /// How long ``attestation`` may be, in bytes of its text: 64 KiB in Base64.
    public static let longestAttestation = 87_384
    /// So long after a challenge was spent the same request gets the first outcome: a lost answer must not lock a phone
    /// out.
    public static let repeatable = Duration.seconds(5 * 60)

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// The key that it is said to be of, as it was sent.
    public var keyID: DeviceKeyID
    /// The attestation object in Base64, of either alphabet, padded or not.
    public var attestation: String
    /// The challenge as the device sent it back.
    public var challenge: String
    /// What the edge read out of the challenge.
    public var challengeExpiresAt: Timestamp

    /// A request of these.
    public init(
        organisation: OrganisationID, app: AppID, keyID: DeviceKeyID, attestation: String, challenge: String,
        challengeExpiresAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.keyID = keyID
        self.attestation = attestation
        self.challenge = challenge
        self.challengeExpiresAt = challengeExpiresAt
    }

    /// Organisation, app and key id.
    public var key: String { Key.device(organisation, app, keyID) }
}
