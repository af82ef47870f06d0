internal import Crypto
package import HTTP
package import Messages
package import ServiceKit

/// `POST /apple/v2/notifications/{notificationToken}`: Apple's server tells of an app's purchases (App Store Server
/// Notifications V2). Answers `{"ok":true}` once the broker has it; what it says, the validator finds out.
///
/// | status | code | when |
/// |---|---|---|
/// | 400 | `notification_version_1` | it is of version 1, which carries no signature |
/// | 400 | `missing_member`, `bad_value`, … | no JSON, or not of that shape; `field` names what |
/// | 400 | `notification_forged` | the signature is not Apple's, or it is for another app; looked at only after many such |
/// | 404 | `notification_token_unknown` | the path is of no app, or not any more |
/// | 413 | `body_too_large` | more than 1 MiB |
/// | 503 | `not_accepted` | the broker has not confirmed it in time; Apple sends it again |
/// | 503 | `registry_unavailable` | whose path it is cannot be told now; Apple sends it again |
///
/// Nothing is kept of what is not answered 200 or 503. The token is written to no log.
package struct TakeNotification: RouteHandler {
    private let registry: RegistryProjection
    private let commands: CommandPublisher
    private let unverifiable: UnverifiableNotifications
    private let signatures: NotificationSignatures
    private let now: @Sendable () -> Timestamp
    private let accepted: Counter
    private let forged: Counter

    /// - Parameters:
    ///   - unverifiable: decides when `signatures` are looked at.
    package init(
        registry: RegistryProjection, commands: CommandPublisher, unverifiable: UnverifiableNotifications,
        signatures: NotificationSignatures = NotificationSignatures(), now: @escaping @Sendable () -> Timestamp,
        metrics: MetricsRegistry
    ) {
        self.registry = registry
        self.commands = commands
        self.unverifiable = unverifiable
        self.signatures = signatures
        self.now = now
        func counter(_ outcome: String) -> Counter {
            metrics.counter(
                "tollgate_edge_notifications_total", "Notifications of stores by what became of them",
                ["outcome": outcome])
        }
        accepted = counter("accepted")
        forged = counter("forged")
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = now()
        let app = try await app(token: try request.parameter("notificationToken"), at: acceptedAt)
        let notification = try AppleNotification(request.body)
        if unverifiable.areTooMany(for: app, at: acceptedAt) {
            try await refuseForgery(notification, for: app, at: acceptedAt)
        }
        try await commands.publish(
            notification.command(for: app), id: notification.messageID(for: app), acceptedAt: acceptedAt)
        accepted.add()
        return .json(bytes: Self.taken)
    }

    private func app(token: String, at now: Timestamp) async throws -> AppRecord {
        // Only digests are compared, so that how long it takes tells nothing of the tokens that there are.
        let digest = Digest.sha256(token.utf8).hexadecimal
        switch await registry.find({ $0.app(notificationToken: digest, at: now) }) {
        case .found(let app): return app
        case .absent:
            throw HTTPError.notFound("notification_token_unknown", "No app has its notifications sent to this path")
        case .unavailable:
            throw HTTPError.registryUnavailable
        }
    }

    private func refuseForgery(
        _ notification: AppleNotification, for app: AppRecord, at now: Timestamp
    ) async throws {
        guard let fault = try await signatures.fault(in: notification.signedPayload, for: app, at: now) else { return }
        forged.add()
        throw HTTPError.badRequest(
            "notification_forged", "Not signed for this app: \(fault.reason) in the step \(fault.step)",
            field: "signedPayload")
    }

    private static let taken = Array(#"{"ok":true}"#.utf8)
}
