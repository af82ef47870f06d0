internal import Crypto
internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/attribute`, checked. Members that it does not know are passed over.
package struct AttributeBody: Sendable, Equatable {
    package let user: AppUserID
    package let app: AppID
    /// Stands for the device in the limits.
    package let install: String?
    package let originalTransactionID: OriginalTransactionID
    package let product: ProductID?
    /// What the store signed, as sent; bounded by the body.
    package let signedTransaction: String?

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: .sdkBody)
        user = AppUserID(rawValue: try FieldRules.identifier("appUserId", in: body))
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
        install = try FieldRules.optionalIdentifier("installId", in: body)
        originalTransactionID = OriginalTransactionID(
            rawValue: try FieldRules.identifier("originalTransactionId", in: body))
        product = try FieldRules.text("productId", in: body, within: FieldRules.identifierBytes)
            .map(ProductID.init(rawValue:))
        signedTransaction = try FieldRules.text("jws", in: body, within: JSONLimits.sdkBody.bytes)
    }

    /// What has to be sent for it: to the validator, with the claim, where a store has signed something; else the
    /// claim alone, to the resolver.
    package enum Command: Sendable, Equatable {
        case artifact(ArtifactSubmit)
        case claim(LinkClaim)
    }

    /// - Parameter trust: what is known of the caller.
    package func command(for app: AppRecord, trust: Trust) -> Command {
        guard let signedTransaction else {
            return .claim(
                LinkClaim(
                    organisation: app.organisation, app: app.app, originalTransactionID: originalTransactionID,
                    user: user, rank: trust == .attested ? .attested : .unverified))
        }
        return .artifact(
            ArtifactSubmit(
                organisation: app.organisation, app: app.app,
                artifact: Artifact(kind: .transaction, text: signedTransaction),
                digest: ArtifactDigest(rawValue: Digest.sha256(signedTransaction.utf8).hexadecimal),
                claim: TransactionClaim(
                    user: user, originalTransactionID: originalTransactionID, product: product, trust: trust)))
    }
}
