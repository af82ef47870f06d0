internal import Crypto
public import FoundationEssentials
public import JSON

/// What an attestation says: which key of which device Apple has vouched for.
public struct Attestation: Sendable, Hashable {
    /// The key's name: SHA-256 of ``publicKey``.
    public let keyID: [UInt8]
    /// A point of P-256 as X9.63 has it, 65 bytes: with it assertions are verified.
    public let publicKey: [UInt8]
    /// Which service has vouched for it.
    public let environment: AttestedEnvironment
    /// How often the key had signed: 0.
    public let counter: UInt32
    /// Bits by WebAuthn, as they were sent; they do not tell what there is.
    public let flags: UInt8
    /// When the device's certificate begins to be valid, one day before the attestation.
    public let notBefore: Date
    /// When it ends; the key itself does not.
    public let notAfter: Date
    /// For Apple's fraud assessment. Nothing in the attestation covers it: it has a verdict of its own.
    public let receipt: [UInt8]
    /// What stands behind the key, by name, with bytes in hexadecimal: iOS 26 and later put something there. `nil` if
    /// there is nothing.
    public let extensions: [String: JSONValue]?
    /// The app's version, as one of the extensions tells it.
    public let bundleVersion: String?
    /// How the app was signed or distributed, as one of the extensions tells it: 2 TestFlight, 3 for development, 4 App
    /// Store, 5 enterprise, 6 Developer ID, …
    public let validationCategory: UInt32?
    /// What Apple's other extensions in the device's certificate say, by object identifier; of the lists the numbered
    /// members. Apple does not document them.
    public let certificateExtensions: [String: JSONValue]

    /// Reads an attestation object. Nothing of it is verified, and nothing to be believed; `nil` if it cannot be read.
    public init?(unverified bytes: [UInt8]) {
        guard let object = try? AttestationObject(bytes), let der = try? object.certificates().first,
            let certificate = try? Certificate(der: der), let device = try? DeviceCertificate(certificate),
            let credential = try? object.authenticatorData.credential()
        else { return nil }
        self.init(object, device, credential)
    }

    /// `nil` if the authenticator data is too short or of an authenticator that is not known.
    init?(_ object: AttestationObject, _ device: DeviceCertificate, _ credential: AuthenticatorData.Credential) {
        let data = object.authenticatorData
        guard let environment = data.aaguid.flatMap(AttestedEnvironment.init), let counter = data.counter,
            let flags = data.flags
        else { return nil }
        self.keyID = device.keyID
        self.publicKey = device.point
        self.environment = environment
        self.counter = counter
        self.flags = flags
        self.notBefore = device.notBefore
        self.notAfter = device.notAfter
        self.receipt = object.receipt
        self.extensions = credential.extensions.map(CBORValue.object)
        self.bundleVersion = credential.extensions?[.text("apple_bundle_version_01")]?.version
        self.validationCategory =
            credential.extensions?[.text("apple_validation_category_01")]?.number.flatMap(UInt32.init(exactly:))
        self.certificateExtensions = device.remarks
    }
}

extension CBORValue {
    /// A number, or four bytes that are one, the least of them first.
    fileprivate var number: UInt64? {
        switch self {
        case .unsigned(let number): number
        case .bytes(let bytes) where bytes.count == 4: bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
        default: nil
        }
    }

    fileprivate var version: String? { text ?? number.map { String($0) } }
}
