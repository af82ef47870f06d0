internal import Crypto
internal import Messages

extension MessageExample {
    static let artifacts = [
        MessageExample(
            ArtifactSubmit(
                organisation: organisation, app: app, artifact: artifact, digest: digest,
                claim: TransactionClaim(
                    user: user, originalTransactionID: chain, product: product, trust: .unverified)),
            """
            What a store signed, as received, optionally with a claim that it is a user's. It is kept with its verdict; what \
            it tells is published under the verified ids. Put a signed transaction in the place of the text, and its \
            SHA-256 into digest, which is the key too.
            """),
        MessageExample(
            ArtifactVerify(organisation: organisation, app: app, artifact: artifact, digest: digest),
            "Asks for the verdict on an artifact, now; it is kept and published as one that was submitted is."),
        MessageExample(
            ArtifactReverify(organisation: organisation, app: app, digest: digest, artifactKind: .transaction),
            "Judges an artifact that is kept anew, as of the time when it was received."),
        MessageExample(ArtifactsPage(partition: 0), "Asks a partition which artifacts it keeps, a page at a time."),
        MessageExample(
            TransactionVerified(
                organisation: organisation, app: app, isTest: false, digest: digest, transaction: transaction),
            "A transaction's signature has been checked."),
        MessageExample(
            TransactionRetracted(
                organisation: organisation, app: app, isTest: false, digest: digest, revision: 1,
                transactionID: transaction.id, originalTransactionID: chain, environment: .production,
                reason: "untrusted_chain"),
            "What an artifact has told of a transaction counts no more: the verdict on it has turned."),
        MessageExample(
            RenewalVerified(organisation: organisation, app: app, isTest: false, digest: digest, renewal: renewal),
            "What a store says will become of a subscription; its signature has been checked."),
        MessageExample(
            RenewalRetracted(
                organisation: organisation, app: app, isTest: false, digest: digest, revision: 1,
                originalTransactionID: chain, environment: .production, reason: "untrusted_chain"),
            "What an artifact has told of a renewal counts no more: the verdict on it has turned."),
        MessageExample(
            notification, "A store's server has told something; its signature and those of what it carries are good."),
        MessageExample(
            ArtifactRefused(
                organisation: organisation, app: app, digest: digest, artifactKind: .transaction, step: "chain",
                reason: "untrusted_chain"),
            "An artifact is not what it claims to be, for the first time or not any more."),
    ]

    private static let artifact = Artifact(kind: .transaction, text: "eyJhbGciOiJFUzI1NiJ9.eyJ9.c2lnbmF0dXJl")
    private static let digest = ArtifactDigest(rawValue: Digest.sha256(artifact.text.utf8).hexadecimal)

    static let transaction = StoreTransaction(
        id: TransactionID(rawValue: "2000000123456789"), originalID: chain, product: product,
        productType: .autoRenewable, environment: .production, purchasedAt: time, expiresAt: later, signedAt: time)

    private static let renewal: StoreRenewal = {
        var renewal = StoreRenewal(originalID: chain, environment: .production, signedAt: time)
        renewal.product = product
        renewal.willRenew = true
        renewal.renewsAt = later
        return renewal
    }()

    private static let notification: NotificationVerified = {
        var notification = NotificationVerified(
            organisation: organisation, app: app, isTest: false, digest: digest,
            notificationID: "0b1c6a52-7a3e-4c38-9d0f-0d9a2f5d5c11", type: "SUBSCRIBED", signedAt: time,
            environment: .production)
        notification.subtype = "INITIAL_BUY"
        notification.originalTransactionID = chain
        return notification
    }()
}
