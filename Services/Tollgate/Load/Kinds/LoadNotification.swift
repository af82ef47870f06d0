internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import Messages
internal import StoreArtifacts
internal import StoreSimulator

extension LoadKind {
    /// The store's server tells of a renewal.
    static let notification = LoadKind(name: "notification", share: 5, doors: [.http, .queues]) { world, door in
        if door == .http, world.place.notifications == nil { return nil }
        guard let person = world.renewed() else { return nil }
        let transaction = person.purchase.latest
        var notification = NotificationDesign(
            "DID_RENEW", uuid: UUID().uuidString.lowercased(), signedDate: transaction.signedDate,
            members: [
                "bundleId": .string(world.place.app.rawValue), "environment": .string("Production"),
                "appAppleId": .integer(1_234_567_890), "bundleVersion": .string("1"), "status": .integer(1),
            ])
        notification.transaction = transaction
        notification.renewal = person.purchase.renewal
        let text = try world.authority.signNotification(notification)
        let purpose = LoadMessage.Purpose.unlock(person: person.number, period: person.periods - 1)
        return switch door {
        case .http:
            LoadMessage(
                kind: 0,
                way: .http(
                    path: world.place.notifications ?? "", headers: [:], body: TestAuthority.requestBody(of: text)),
                purpose: purpose)
        case .queues: try .command(world.submission(text, .notification), purpose)
        }
    }
}
