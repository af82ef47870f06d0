internal import HTTP
internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/paywall/impression`, checked. Members that it does not know are passed over.
package struct ImpressionBody: Sendable, Equatable {
    /// Of a storefront: `USA`, or `143441-1,29`.
    static let storefrontBytes = 32

    package let app: AppID
    package let install: InstallID
    package let experiment: ExperimentID
    /// In the order in which they were shown; none at all is what has to be told most urgently.
    package let renderedSKUs: [ProductID]
    package let storefront: String?
    /// Nil: he does not say.
    package let environment: StoreEnvironment?

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: .sdkBody)
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
        install = InstallID(rawValue: try FieldRules.identifier("installId", in: body))
        experiment = ExperimentID(rawValue: try FieldRules.identifier("experimentId", in: body))
        renderedSKUs = try Self.skus(in: body)
        storefront = try FieldRules.text("storefront", in: body, within: Self.storefrontBytes)
        environment = try FieldRules.text("environment", in: body, within: FieldRules.deviceBytes)
            .map(StoreEnvironment.init(ofAppTransaction:))
    }

    /// What paywall-experiments is told of it.
    package func command(for app: AppRecord, trust: Trust) -> ImpressionRecord {
        ImpressionRecord(
            organisation: app.organisation, app: app.app, install: install, experiment: experiment,
            renderedSkus: renderedSKUs, storefront: storefront, environment: environment, trust: trust)
    }

    private static func skus(in body: JSONObject) throws -> [ProductID] {
        let name = "renderedSkus"
        guard let skus = try body.strings(name) else { throw JSONError(.missingMember, path: name) }
        guard skus.count <= PaywallSKU.mostOffers else {
            throw HTTPError.tooMany(name, most: PaywallSKU.mostOffers)
        }
        return try skus.enumerated().map { index, sku in
            let field = "\(name)[\(index)]"
            guard !sku.isEmpty else { throw HTTPError.empty(field) }
            try FieldRules.check(sku, field, within: FieldRules.identifierBytes)
            return ProductID(rawValue: sku)
        }
    }
}
