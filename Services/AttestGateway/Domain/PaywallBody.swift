internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/paywall`, checked. Members that it does not know are passed over.
package struct PaywallBody: Sendable, Equatable {
    package let app: AppID
    package let install: InstallID
    /// The current one: how purchases find their way to the experiment.
    package let user: AppUserID
    package let entitlement: EntitlementID
    package let environment: StoreEnvironment
    /// The variant that somebody wants to look at.
    package let forcedVariant: VariantKey?

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: .sdkBody)
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
        install = InstallID(rawValue: try FieldRules.identifier("installId", in: body))
        user = AppUserID(rawValue: try FieldRules.identifier("appUserId", in: body))
        entitlement = EntitlementID(rawValue: try FieldRules.identifier("entitlement", in: body))
        environment = StoreEnvironment(
            ofAppTransaction: try FieldRules.text("environment", in: body, within: FieldRules.deviceBytes))
        forcedVariant = try FieldRules.text("forceVariant", in: body, within: FieldRules.identifierBytes)
            .map(VariantKey.init(rawValue:))
    }

    /// The question that it is.
    package func question(for app: AppRecord, trust: Trust) -> PaywallResolve {
        PaywallResolve(
            organisation: app.organisation, app: app.app, install: install, user: user, entitlement: entitlement,
            environment: environment, forceVariant: environment == .production ? nil : forcedVariant, trust: trust)
    }
}
