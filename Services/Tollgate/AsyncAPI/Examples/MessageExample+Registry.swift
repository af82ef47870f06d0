internal import Crypto
internal import Messages

extension MessageExample {
    static let registry = [
        MessageExample(
            AppPut(organisation: organisation, app: app, linkMovePolicy: .move, teamID: TeamID(rawValue: "TEAM123456")),
            "Connects an app, or changes its settings; what is absent stays as it is."),
        MessageExample(
            KeyAdd(organisation: organisation, id: KeyID(rawValue: "server"), digest: key.digest, scope: .read),
            "Adds a server key, by its digest."),
        MessageExample(
            KeyRevoke(organisation: organisation, id: KeyID(rawValue: "server")), "Ends a server key."),
        MessageExample(
            RegistrySnapshot(),
            "Asks the registry for all apps and keys, and for devices of which not every token is good."
        ),
        MessageExample(
            AppChanged(record: AppRecord(organisation: organisation, app: app, version: 1, changedAt: time)),
            "An app is connected or has changed: the whole record."),
        MessageExample(KeyChanged(record: key), "A server key was added or revoked."),
        MessageExample(
            EdgeCounts(edge: "attest-gateway:1"),
            "What one edge has let through since it said so last, so that limits hold over all of them together."),
    ]

    static let devices = [
        MessageExample(
            AttestationSubmit(
                organisation: organisation, app: app, keyID: device.keyID, attestation: "o2NmbXRvYXBwbGUtYXBwYXR0ZXN0",
                challenge: "c29tZSBjaGFsbGVuZ2U", challengeExpiresAt: time),
            "A device asks to be enrolled; the registry spends the challenge and verifies the attestation."),
        MessageExample(
            AssertionSubmit(
                organisation: organisation, app: app, keyID: device.keyID, assertion: "omlzaWduYXR1cmU",
                challenge: "c29tZSBjaGFsbGVuZ2U", challengeExpiresAt: time),
            "An enrolled device asks for a fresh token; the registry spends the challenge and verifies the assertion."),
        MessageExample(
            DeviceRevoke(organisation: organisation, app: app, keyID: device.keyID, why: "stolen"),
            "Ends a device for good."),
        MessageExample(DeviceAttested(device: device), "A device was enrolled, for the first time or anew."),
        MessageExample(DeviceRevoked(device: device), "A device was revoked by an operator."),
        MessageExample(DevicesPage(), "Asks the registry which devices there are, a page at a time."),
    ]

    private static let key = KeyRecord(
        organisation: organisation, id: KeyID(rawValue: "server"),
        digest: Digest.sha256("tk_example".utf8).hexadecimal, scope: .read, addedAt: time, version: 2)

    private static let device = DeviceStanding(
        organisation: organisation, app: app,
        keyID: DeviceKeyID(rawValue: Base64.standard.encode(Digest.sha256("a device's public key".utf8))),
        environment: .production, changedAt: time)
}
