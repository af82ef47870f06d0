/// What something that a store signed is, or is said to be.
public struct ArtifactKind: RawRepresentable, Hashable, Sendable, Codable {
    /// Its name in commands, messages and answers.
    public let rawValue: String

    /// Any name, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// An App Store receipt (PKCS#7), of iOS or macOS.
    public static let receipt = ArtifactKind(rawValue: "receipt")
    /// A StoreKit 2 transaction (`JWSTransaction`).
    public static let transaction = ArtifactKind(rawValue: "transaction")
    /// Renewal information of a subscription (`JWSRenewalInfo`).
    public static let renewal = ArtifactKind(rawValue: "renewal")
    /// A customer's download of an app (`AppTransaction`).
    public static let appTransaction = ArtifactKind(rawValue: "app-transaction")
    /// An App Store Server Notification, version 2.
    public static let notification = ArtifactKind(rawValue: "notification")
    /// An App Attest attestation object.
    public static let attestation = ArtifactKind(rawValue: "attestation")
    /// An App Attest assertion object.
    public static let assertion = ArtifactKind(rawValue: "assertion")
    /// The receipt inside an attestation, or one that Apple's server has handed out for it.
    public static let attestationReceipt = ArtifactKind(rawValue: "attestation-receipt")
    /// A purchase of Google Play or AppCoins: a text and its RSA signature.
    public static let purchase = ArtifactKind(rawValue: "purchase")

    /// Those that can be verified.
    public static let verifiable = [
        receipt, transaction, renewal, appTransaction, notification, attestation, assertion, attestationReceipt,
        purchase,
    ]

    /// `transactionReceipt` of iOS 6 and older: recognised, never verified.
    public static let iOS6Receipt = ArtifactKind(rawValue: "ios6-receipt")
    /// An App Store Server Notification, version 1, which carries no signature: recognised, never verified.
    public static let notificationV1 = ArtifactKind(rawValue: "notification-v1")
    /// An X.509 certificate by itself: recognised, never verified.
    public static let certificate = ArtifactKind(rawValue: "certificate")
    /// Nothing that is known here.
    public static let unknown = ArtifactKind(rawValue: "unknown")
}
