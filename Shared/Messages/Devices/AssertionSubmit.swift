/// An enrolled device asks for a fresh token: verified by the registry, which spends the challenge whatever the verdict.
///
/// Sent by edges. Taken by the registry. Key: organisation, app and key id. For challenge and repeats see
/// ``AttestationSubmit``.
///
/// Refused: `app_unknown`, `team_id_missing` (neither spends the challenge), `challenge_expired`, `challenge_used`,
/// `device_unknown`, `token_revoked`, and what ``Refusal/assertion`` names.
public struct AssertionSubmit: Request {
    /// `assertion.submit.v1`
    public static let kind: MessageKind = "assertion.submit.v1"
    /// The registry.
    public static let recipient = ServiceName.attestGateway
    /// Edges: they have looked at the challenge.
    public static let authors: [BrokerUser]? = [BrokerUser(of: .attestGateway)]
    /// The device, for the token.
    public typealias Value = DeviceStanding

    /// How long ``assertion`` may be, in bytes of its text: 16 KiB in Base64.
    public static let longestAssertion = 21_848

    /// Whose app it is.
    public var organisation: OrganisationID
    /// Its bundle id.
    public var app: AppID
    /// The key that it is said to be by, as it was sent.
    public var keyID: DeviceKeyID
    /// The assertion object in Base64, of either alphabet, padded or not.
    public var assertion: String
    /// The challenge as the device sent it back.
    public var challenge: String
    /// What the edge read out of the challenge.
    public var challengeExpiresAt: Timestamp

    /// A request of these.
    public init(
        organisation: OrganisationID, app: AppID, keyID: DeviceKeyID, assertion: String, challenge: String,
        challengeExpiresAt: Timestamp
    ) {
        self.organisation = organisation
        self.app = app
        self.keyID = keyID
        self.assertion = assertion
        self.challenge = challenge
        self.challengeExpiresAt = challengeExpiresAt
    }

    /// Organisation, app and key id.
    public var key: String { Key.device(organisation, app, keyID) }
}
