internal import Crypto
internal import HTTP
internal import JSON
package import Messages
internal import StoreArtifacts

/// What Apple's server posts, `{"signedPayload": "…"}`: taken apart, not verified.
package struct AppleNotification: Sendable, Equatable {
    /// As long as a body may be.
    package static let bytes = 1024 * 1024

    /// The notification, as it was signed.
    package let signedPayload: String
    private let digest: String

    /// - Throws: `JSONError` or `HTTPError`, a 400 that says what it is instead.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: JSONLimits(depth: 32, bytes: Self.bytes))
        guard let text = try body.string("signedPayload") else {
            guard NotificationBody(bytes) != .version1 else {
                throw HTTPError.badRequest(
                    "notification_version_1",
                    "This is a notification of version 1, which nobody has signed: set version 2 in App Store Connect")
            }
            throw JSONError(.missingMember, path: "signedPayload")
        }
        guard Self.looksSigned(text) else {
            throw HTTPError.badRequest(
                "bad_value", "signedPayload must be a signed text: three parts of base64url with dots between them",
                field: "signedPayload")
        }
        signedPayload = text
        digest = Digest.sha256(text.utf8).hexadecimal
    }

    /// What has to be sent for it.
    package func command(for app: AppRecord) -> ArtifactSubmit {
        ArtifactSubmit(
            organisation: app.organisation, app: app.app, artifact: Artifact(kind: .notification, text: signedPayload),
            digest: ArtifactDigest(rawValue: digest))
    }

    /// The id of the message: of the bytes, so that what Apple repeats is one message at any edge, and what somebody
    /// else makes up is another.
    package func messageID(for app: AppRecord) -> MessageID {
        let parts = [app.organisation.rawValue, app.app.rawValue, "notification", digest].joined(separator: "\u{0}")
        return MessageID(rawValue: "sha256:" + Digest.sha256(parts.utf8).hexadecimal)
    }

    private static func looksSigned(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy(\.isBase64URL) }
    }
}

extension UInt8 {
    fileprivate var isBase64URL: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
