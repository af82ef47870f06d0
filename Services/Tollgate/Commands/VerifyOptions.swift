internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

/// What `tollgate verify` was told.
struct VerifyOptions {
    static let kind = Option<ArtifactKind?>(
        "--kind", "KIND", "What it has to be: \(ArtifactKind.verifiable.map(\.rawValue).joined(separator: ", ")), auto",
        expectation: "\(ArtifactKind.verifiable.map(\.rawValue).joined(separator: ", ")), or auto", default: "auto"
    ) { name in
        name == "auto" ? .some(nil) : ArtifactKind.verifiable.first { $0.rawValue == name }.map(Optional.some)
    }
    static let bundleID = Option.text("--bundle-id", "ID", "The app's bundle id, or the package of a purchase")
    static let appleID = Option<Int64>(
        "--apple-id", "NUMBER", "Apple's number of the app, of a notification or an app transaction",
        expectation: "a number above 0"
    ) { text in Int64(text).flatMap { $0 > 0 ? $0 : nil } }
    static let appID = Option<String>(
        "--app-id", "TEAM.BUNDLE", "The app of an attestation, an assertion or their receipt",
        expectation: "the team and the bundle id with a dot between them"
    ) { text in text.firstIndex(of: ".").map { $0 > text.startIndex } ?? false ? text : nil }
    static let environment = Option<ArtifactEnvironment>(
        "--environment", "NAME", "Where it has to come from: production, sandbox, xcode, development",
        expectation: "production, sandbox, xcode or development"
    ) { name in ArtifactEnvironment.expectable.first { $0.rawValue == name } }
    static let allowXcode = Flag(
        "--allow-xcode", "Accept what Xcode signed: that its parts belong together, everybody can sign so")
    static let at = Option<Date>(
        "--at", "TIME", "When certificates have to be valid, instead of when it was signed",
        expectation: "a time in RFC 3339 such as 2026-01-31T12:00:00Z"
    ) { Timestamp(rfc3339: $0)?.date }
    static let root = Option<String>.text(
        "--root", "FILE", "Certificates, PEM or DER, to trust instead of Apple's roots", isRepeatable: true)
    static let clientData = Option<String>.text(
        "--client-data", "FILE", "What an attestation or assertion was made for, as it was hashed")
    static let clientDataHash = Option<[UInt8]>(
        "--client-data-hash", "HEX", "Its SHA-256, or whatever the app gave in its place",
        expectation: "hexadecimal digits, two a byte"
    ) { $0.isEmpty ? nil : [UInt8](hexadecimal: $0) }
    static let keyID = Option<[UInt8]>(
        "--key-id", "B64", "The key that an attestation has to be of", expectation: "Base64", parse: KeyText.decode)
    static let publicKey = Option<String>.text(
        "--public-key", "B64|FILE", "Who has to have signed an assertion or a purchase, or the key of a receipt")
    static let lastCounter = Option<UInt32>(
        "--last-counter", "NUMBER", "The counter of the assertion before", expectation: "a whole number"
    ) { UInt32($0) }
    static let maximumAge = Option<Double>(
        "--max-age", "SECONDS", "How old an App Attest receipt may be", expectation: "a number of seconds"
    ) { text in UInt32(text).map(Double.init) }
    static let deviceID = Option<DeviceIdentifier>(
        "--device-id", "UUID|HEX", "The device of a receipt: the vendor's identifier, or a Mac's address",
        expectation: "a UUID, or 16 or 6 bytes in hexadecimal"
    ) { DeviceIdentifier($0) }
    static let product = Option.text("--product", "ID", "What has to have been bought, of a purchase")
    static let token = Option.text("--token", "TOKEN", "The token that a purchase has to have")

    static let all: [any OptionDescription] = [
        kind, bundleID, appleID, appID, environment, allowXcode, at, root, clientData, clientDataHash, keyID, publicKey,
        lastCounter, maximumAge, deviceID, product, token,
    ]

    /// What it has to be; `nil`: whatever it is.
    let kind: ArtifactKind?
    let expectations: Expectations
    let trust: ArtifactTrust
    private let given: Set<String>

    init(_ arguments: Arguments) throws {
        given = Set(Self.all.filter { arguments.isSet($0) }.map(\.name))
        kind = try arguments.value(of: Self.kind)
        let roots = try arguments.all(Self.root).flatMap { path throws in try InputFile(path).certificates() }
        // Whoever names Xcode's own certificate as a root has allowed it as well.
        let xcode: ArtifactTrust.Xcode = arguments.isSet(Self.allowXcode) ? .anybody : .only(roots)
        var trust = roots.isEmpty ? try .apple(xcode: xcode) : try ArtifactTrust(roots: roots, xcode: xcode)
        // Authorities of others have been seen without it; the page says that it was not looked at.
        trust.demandsIntermediateMarker = false
        self.trust = trust

        var expectations = Expectations()
        expectations.bundleID = try arguments.optional(Self.bundleID)
        expectations.appAppleID = try arguments.optional(Self.appleID)
        expectations.appID = try arguments.optional(Self.appID)
        expectations.environments = try arguments.optional(Self.environment).map { [$0] }
        expectations.certificateDate = try arguments.optional(Self.at)
        expectations.clientData = try Self.clientData(arguments)
        expectations.keyID = try arguments.optional(Self.keyID)
        expectations.attestedKey = try arguments.optional(Self.publicKey).map { try Self.key($0, arguments) }
        expectations.publicKeys = expectations.attestedKey.map { [$0] } ?? []
        expectations.believesOwnKey = true
        expectations.lastCounter = try arguments.optional(Self.lastCounter)
        expectations.maximumAge = try arguments.optional(Self.maximumAge)
        expectations.device = try arguments.optional(Self.deviceID)
        expectations.product = try arguments.optional(Self.product)
        expectations.token = try arguments.optional(Self.token)
        self.expectations = expectations
    }

    private static func clientData(_ arguments: Arguments) throws -> ClientData? {
        let path = try arguments.optional(clientData)
        let hash = try arguments.optional(clientDataHash)
        if path != nil, hash != nil { throw arguments.wrong("--client-data and --client-data-hash exclude each other") }
        return try path.map { .bytes(try InputFile($0).whole(upTo: 1 << 20)) } ?? hash.map(ClientData.hash)
    }

    /// A file if there is one of that name, else the key itself.
    private static func key(_ text: String, _ arguments: Arguments) throws -> [UInt8] {
        let file = InputFile(text)
        let bytes = file.isThere ? try file.whole(upTo: 1 << 16) : Array(text.utf8)
        if bytes.first == 0x30 || bytes.first == 0x04 { return bytes }
        guard let key = KeyText.decode(String(decoding: bytes, as: UTF8.self)) else {
            throw arguments.wrong("--public-key: expected a key in Base64, or a file with one in PEM, DER or Base64")
        }
        return key
    }
}

// MARK: - Which option is for what

extension VerifyOptions {
    private static let signedTexts: [ArtifactKind] = [.transaction, .renewal, .appTransaction, .notification]

    /// Those that are for some kinds only, with the kinds. Roots, times and Xcode do no harm to the others.
    private static let kinds: [(option: String, kinds: [ArtifactKind])] = [
        (bundleID.name, [.receipt, .transaction, .appTransaction, .notification, .purchase]),
        (appleID.name, [.appTransaction, .notification]),
        (appID.name, [.attestation, .assertion, .attestationReceipt]),
        (environment.name, [.receipt] + signedTexts + [.attestation]),
        (clientData.name, [.attestation, .assertion]), (clientDataHash.name, [.attestation, .assertion]),
        (keyID.name, [.attestation]), (publicKey.name, [.assertion, .attestationReceipt, .purchase]),
        (lastCounter.name, [.assertion]), (maximumAge.name, [.attestationReceipt]), (deviceID.name, [.receipt]),
        (product.name, [.purchase]), (token.name, [.purchase]),
    ]

    /// What was given and could not be compared with an artifact of this kind.
    func unused(for kind: ArtifactKind) -> String? {
        guard ArtifactKind.verifiable.contains(kind) else { return nil }
        let lines = Self.kinds.filter { given.contains($0.option) && !$0.kinds.contains(kind) }
            .map { "\($0.option) was not used: it is for \($0.kinds.map(\.rawValue).joined(separator: ", "))" }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }
}
