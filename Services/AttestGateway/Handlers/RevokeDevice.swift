internal import Lane
internal import Messages
internal import SQLite

/// `device.revoke.v1`: ends a device, and tells the edges.
struct RevokeDevice: MessageHandler {
    /// Of the reason, in bytes.
    private static let longestWhy = 500

    func apply(
        _ message: DeviceRevoke, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<DeviceRecord> {
        guard let keyID = message.keyID.digest.map(DeviceKeyID.init(digest:)),
            var device = try DeviceStore.device(keyID, of: message.organisation, app: message.app, in: transaction)
        else {
            return .refused(
                Refusal(
                    Refusal.deviceUnknown.reason,
                    "\(message.app) of \(message.organisation) has no device \(message.keyID)"))
        }
        guard device.record.standing.revokedAt == nil else { return .applied(device.record) }
        let version = try RegistryVersion.current(in: transaction) + 1
        try RegistryVersion.raise(to: version, in: transaction)
        device.revoke(why: message.why.map(Self.cut), at: context.acceptedAt, version: version)
        try DeviceStore.put(device, bucket: context.bucket, in: transaction)
        try outgoing.publish(DeviceRevoked(device: device.record.standing))
        let what = "\(Key.app(message.organisation, message.app)) \(message.keyID)"
        try context.note(
            .revokeDevice, [what, message.why].compactMap(\.self).joined(separator: ": "), in: transaction)
        return .applied(device.record)
    }

    /// As much of a reason as is kept, in whole characters.
    private static func cut(_ why: String) -> String {
        var why = String(why.prefix(longestWhy))
        while why.utf8.count > longestWhy { why.removeLast() }
        return why
    }
}
