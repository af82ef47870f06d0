internal import HTTP
internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/identify`, checked. Members that it does not know are passed over.
package struct IdentifyBody: Sendable, Equatable {
    package let user: AppUserID
    package let app: AppID
    /// Part of every body of the SDK: stands for the device in the limits.
    package let install: String?
    /// `ios` or `android`: anything else that stands there is as if nothing did.
    package let platform: String?
    package let osVersion: String?
    package let deviceModel: String?
    package let locale: String?
    package let attributes: [String: AttributeValue]?

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: .sdkBody)
        user = AppUserID(rawValue: try FieldRules.identifier("appUserId", in: body))
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
        install = try FieldRules.optionalIdentifier("installId", in: body)
        platform = (try? body.string("platform")).flatMap { Self.platforms.contains($0) ? $0 : nil }
        osVersion = try FieldRules.text("osVersion", in: body, within: FieldRules.deviceBytes)
        deviceModel = try FieldRules.text("deviceModel", in: body, within: FieldRules.deviceBytes)
        locale = try FieldRules.text("locale", in: body, within: FieldRules.deviceBytes)
        attributes = try FlatAttributes.read("attributes", in: body)
    }

    private static let platforms = ["ios", "android"]

    /// What the resolver is told of it.
    package func command(for app: AppRecord, trust: Trust) -> UserIdentify {
        UserIdentify(
            organisation: app.organisation, app: app.app, user: user, platform: platform, osVersion: osVersion,
            deviceModel: deviceModel, locale: locale, attributes: attributes, trust: trust)
    }
}

extension JSONLimits {
    /// Of every body of the SDK API; how long it may be, the route says.
    static let sdkBody = JSONLimits(depth: 32, bytes: 256 * 1024)
}
