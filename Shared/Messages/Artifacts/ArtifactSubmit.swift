/// What a store signed, as received, for one app; optionally with a claim that it belongs to a user.
///
/// Sent by edges and by whoever has an artifact. Taken by receipt-validator, which stores it with its verdict and
/// publishes facts under the *verified* ids. Key: digest.
public struct ArtifactSubmit: Command {
    /// `artifact.submit.v1`
    public static let kind: MessageKind = "artifact.submit.v1"
    /// The validator.
    public static let recipient = ServiceName.receiptValidator

    /// Whose app it is.
    public var organisation: OrganisationID
    /// For which app it has to be good.
    public var app: AppID
    /// What it is said to be.
    public var artifact: Artifact
    /// SHA-256 of ``Artifact/text``; a wrong one is a dead letter.
    public var digest: ArtifactDigest
    /// Who says that the transaction is his.
    public var claim: TransactionClaim?

    /// A command of these.
    public init(
        organisation: OrganisationID, app: AppID, artifact: Artifact, digest: ArtifactDigest,
        claim: TransactionClaim? = nil
    ) {
        self.organisation = organisation
        self.app = app
        self.artifact = artifact
        self.digest = digest
        self.claim = claim
    }

    /// The digest.
    public var key: String { digest.rawValue }
}

/// Something that a store signed, not looked at yet.
public struct Artifact: Codable, Sendable, Hashable {
    /// What it is said to be.
    public struct Kind: TextIdentifier {
        /// The text.
        public let rawValue: String
        /// Takes the text as it is.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Whatever it turns out to be.
        public static let auto = Kind(rawValue: "auto")
        /// An App Store receipt (PKCS#7), in base64.
        public static let receipt = Kind(rawValue: "receipt")
        /// A StoreKit 2 signed transaction (`JWSTransaction`).
        public static let transaction = Kind(rawValue: "transaction")
        /// Renewal information of a subscription (`JWSRenewalInfo`).
        public static let renewal = Kind(rawValue: "renewal")
        /// A customer's download of an app (`AppTransaction`).
        public static let appTransaction = Kind(rawValue: "app-transaction")
        /// An App Store Server Notification, version 2.
        public static let notification = Kind(rawValue: "notification")
        /// An App Attest attestation object, as JSON with what it was made for.
        public static let attestation = Kind(rawValue: "attestation")
        /// An App Attest assertion object, as JSON with what it was made for.
        public static let assertion = Kind(rawValue: "assertion")
        /// The receipt inside an attestation, or one that Apple's server has handed out for it; alone or as JSON.
        public static let attestationReceipt = Kind(rawValue: "attestation-receipt")
        /// A purchase of Google Play or AppCoins: JSON with a text and its RSA signature.
        public static let purchase = Kind(rawValue: "purchase")
        /// Those that can be verified.
        public static let verifiable = [
            receipt, transaction, renewal, appTransaction, notification, attestation, assertion, attestationReceipt,
            purchase,
        ]
    }

    /// What it is said to be.
    public var kind: Kind
    /// Its text, exactly as received.
    public var text: String

    /// Pairs them.
    public init(kind: Kind, text: String) {
        self.kind = kind
        self.text = text
    }
}

/// What a caller says: this transaction belongs to this user.
public struct TransactionClaim: Codable, Sendable, Hashable {
    /// The user.
    public var user: AppUserID
    /// The transaction as the caller names it; the verified one wins.
    public var originalTransactionID: OriginalTransactionID
    /// The product as the caller names it.
    public var product: ProductID?
    /// What is known of the caller: attested or unverified. Believed only from an edge.
    public var trust: Trust

    /// A claim of these.
    public init(
        user: AppUserID, originalTransactionID: OriginalTransactionID, product: ProductID? = nil, trust: Trust
    ) {
        self.user = user
        self.originalTransactionID = originalTransactionID
        self.product = product
        self.trust = trust
    }
}
