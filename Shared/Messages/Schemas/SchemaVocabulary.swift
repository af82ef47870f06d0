/// What the identifiers mean, which their schema alone, a text, does not tell.
enum SchemaVocabulary {
    static let meanings: [String: String] = [
        "OrganisationID": "An organisation: 1 to 64 letters, digits, dots, hyphens or underscores.",
        "AppID": "An app's bundle id.",
        "AppUserID": "A user as the app names him: 1 to 256 bytes, opaque, case-sensitive; $anon_… before log-in.",
        "TransactionID": "One purchase or renewal, as the store numbers it.",
        "OriginalTransactionID": "The first transaction of a purchase or subscription; renewals share it.",
        "ProductID": "What is sold, as the store names it.",
        "EntitlementID": "What a purchase unlocks, as the app names it.",
        "ArtifactDigest": "SHA-256 of an artifact's text as received, in lower-case hexadecimal.",
        "PublisherID": "One incarnation of a publisher: <service>:<instance>.",
        "KeyID": "Names a server key; the key itself is a secret.",
        "MessageID": "The identity of a message: what has been applied under it is not applied again.",
        "DeviceKeyID": "SHA-256 of a device's public key, in Base64.",
        "TeamID": "A developer's team at Apple: \(TeamID.expectation).",
        "EventName": "What happened, in an app's own words: \(EventName.expectation).",
        "EventFault": "Why an event was dropped: \(EventFault.all.map(\.rawValue).joined(separator: ", ")).",
        "Realm": "A test app's bundle id, or empty: what the stores signed.",
        "InstallID": "One installation of an app on one device: 1 to 256 bytes, opaque, case-sensitive.",
        "ExperimentID": "An experiment on a paywall: 1 to 64 letters, digits, dots, hyphens or underscores.",
        "VariantKey": "A variant within its experiment: 1 to 64 letters, digits, dots, hyphens or underscores.",
        "PlacementID": "A place in an app that shows a paywall: 1 to 64 letters, digits, dots, hyphens or underscores.",
        "PaywallSKU.Kind": PaywallSKU.Kind.all.map(\.rawValue).joined(separator: " or ") + ".",
        "Experiment.State": "draft, running, stopped; it only ever moves forward.",
        "Trust":
            "unverified: the caller said so; attested: a genuine app on a genuine device; verified: a store signed it.",
        "StoreEnvironment": "production, sandbox, xcode, unknown; others survive.",
        "LinkMovePolicy": "move, keep, move_if_inactive.",
        "KeyRecord.Scope": "read, write, admin: each allows what the ones before it allow.",
        "AttestEnvironment": "production or development.",
        "Artifact.Kind": Artifact.Kind.verifiable.map(\.rawValue).joined(separator: ", ") + ", or auto.",
    ]
}
