internal import StoreArtifacts

/// What to do about a refusal, and about what could not be compared.
struct Advice {
    /// A sentence or two.
    let text: String

    init(_ report: ArtifactReport) {
        let isXcode = report.environment == ArtifactEnvironment.xcode.rawValue
        text =
            if report.step == .kind {
                Self.aboutKind(report.kind)
            } else if isXcode, [.chainLength, .untrustedChain].contains(report.reason) {
                "it says that Xcode signed it; --allow-xcode accepts that as a test."
            } else {
                report.step.flatMap { Self.bySteps[$0.rawValue] } ?? Self.byReasons[report.reason ?? .malformed]
                    ?? "see the message above."
            }
    }

    private static func aboutKind(_ kind: ArtifactKind) -> String {
        switch kind {
        case .iOS6Receipt: "ask the app for the receipt of iOS 7 and later, or for a signed transaction."
        case .notificationV1:
            "switch the app to notifications of version 2 in App Store Connect, or send the receipt in it."
        case .certificate: "a certificate says who may sign; give what he signed, and the certificate as --root."
        case .unknown: "look whether this is the whole file, unchanged; it may be text of another program."
        default: "leave --kind out to have it verified as what it is, or give the other artifact."
        }
    }

    /// Where the reason alone would say something else.
    private static let bySteps = [
        "product": "look whether --product is right; it is genuine, but of another product.",
        "token": "look whether --token is right; it is genuine, but another purchase.",
        "version": "an app that was updated still shows its old receipt for a while.",
    ]

    private static let byReasons: [RefusalReason: String] = [
        .malformed: "take it again from where it comes from; it is cut, or was changed on its way.",
        .unsupportedAlgorithm: "nothing: Apple signs with ES256 and with RSA only. Somebody made this by hand.",
        .missingCertificates: "take it again from where it comes from; what Apple signs brings its certificates.",
        .chainLength: "nothing: what Apple signs has three certificates. Somebody made this by hand.",
        .badCertificate: "take it again from where it comes from; a certificate in it is damaged.",
        .untrustedChain:
            "if an authority of your own signed it, name its root by --root. Else it is a forgery.",
        .certificateExpired:
            "a certificate was not valid at the date that counts. --at sets that date: of an attestation it is now, unless it was received earlier.",
        .wrongPurpose: "nothing: it is signed by a genuine certificate that is not for this. It is a forgery.",
        .badSignature:
            "compare it byte for byte with what the store sent: one that was changed in any way is refused. Of an assertion, compare client data and key.",
        .wrongApp: "look whether --bundle-id or --app-id is right, and which app it came from.",
        .wrongEnvironment: "look whether --environment is right; what the sandbox signs does not count in production.",
        .signedInFuture: "look at this machine's clock, then try again later.",
        .nonceMismatch: "look whether --client-data is what the app hashed, byte for byte, or --client-data-hash.",
        .keyIDMismatch: "look whether --key-id or --public-key belongs to this device.",
        .counter: "it was used before, or another one after it: ask the device for a new one.",
        .stale: "ask Apple's server for a new one.",
        .deviceHashMismatch:
            "look whether --device-id is the vendor's identifier on that device; it changes when all of the vendor's apps are removed.",
        .badKey: "give the store's public key by --public-key: Base64, or a file in PEM.",
    ]

    /// Why a check was not made that no other one kept from being made.
    static func missing(_ check: String) -> String {
        if check == "intermediate_marker" { return "demanded below Apple's roots only" }
        return options[check].map { "nothing to compare with; \($0)" } ?? "nothing to compare with"
    }

    private static let options = [
        "bundle_id": "--bundle-id", "environment": "--environment", "metadata": "--bundle-id, --environment",
        "device_hash": "--device-id", "nonce": "--client-data", "key_id": "--key-id", "app_id": "--app-id",
        "counter": "--last-counter", "public_key": "--public-key", "age": "--max-age", "package": "--bundle-id",
        "product": "--product", "token": "--token",
    ]
}
