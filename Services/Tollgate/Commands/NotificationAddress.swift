internal import Crypto
internal import Messages
internal import ServiceKit

/// Where Apple's server sends an app's notifications: a path with a secret in it, made here and shown once.
///
/// One is made with every `apps add`, and the registry takes it where the app has none, or where it is told to change
/// it; only its digest leaves this process.
struct NotificationAddress: Sendable {
    static let rotate = Flag(
        "--rotate-notification-token", "Makes and shows another path for Apple's notifications to this app")
    static let overlap = Option<Duration>(
        "--old-notification-token", "DURATION",
        "With --rotate-notification-token: how long the old path stays good; 24h unless given, 0s ends it at once",
        expectation: "a duration such as 24h, at most 720h"
    ) { text in Duration(settingText: text).flatMap { $0 <= .seconds(720 * 3600) ? $0 : nil } }

    static let details = """
        For a new app it shows, this once, the path to which Apple's server is to send notifications (App Store Connect:
        App Store Server Notifications, version 2, behind https:// and the name of your edge). It holds a secret: only
        its SHA-256 leaves this process. Whoever has lost it makes another one with --rotate-notification-token; the old
        one stays good meanwhile, so that nothing is missed until Apple knows the new one.
        """

    private let token = Secret("nt_" + Base64.url.encode(RandomBytes.make(32)))

    var path: String { "/apple/v2/notifications/\(token.revealed)" }
    var digest: String { Digest.sha256(token.revealed.utf8).hexadecimal }

    /// Nil: the token that is there stays; else how long it does beside the new one.
    static func overlapSeconds(_ arguments: Arguments) throws -> Int? {
        let overlap = try arguments.optional(overlap)
        guard arguments.isSet(rotate) else {
            guard overlap == nil else { throw arguments.wrong("\(Self.overlap.name) needs \(rotate.name)") }
            return nil
        }
        return Int((overlap ?? .seconds(24 * 3600)).components.seconds)
    }

    /// Whether the app has taken it.
    func isGood(for record: AppRecord) -> Bool { record.notificationTokens?.first?.digest == digest }

    /// For people.
    func text(_ record: AppRecord) -> String {
        guard isGood(for: record) else {
            guard record.notificationTokens != nil else {
                return "notifications: attest-gateway is too old to take any"
            }
            return "notifications: the path that was shown before stays good; only whoever noted it knows it"
        }
        let old = record.notificationTokens?.dropFirst().compactMap(\.until).first
        return "path for Apple's notifications, shown this once: \(path)"
            + (old.map { "\nthe old path is good until \($0.rfc3339)" } ?? "")
    }

    /// The command is durable: it may be applied later, and then nobody would know the secret.
    func told(_ failure: ToolFailure) -> ToolFailure {
        ToolFailure(
            .unavailable, "\(failure)\n  if the app is new, or has a new path then, Apple's path is \(path)")
    }
}
