internal import JSON

/// What a server of Apple's posts to a developer's, as far as can be told without verifying it.
public enum NotificationBody: Sendable, Hashable {
    /// Version 2: a signed text, bare or as the member `signedPayload` of a JSON object.
    case signed([UInt8])
    /// Version 1: JSON without a signature. Nobody can tell who wrote it.
    case version1
    /// JSON of another make.
    case other

    /// Looks at a body of at most `limit` bytes; a longer one is taken for what it is not: JSON.
    public init(_ body: [UInt8], limit: Int = NotificationVerifier.limit) {
        guard body.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let object = try? JSONObject(body, limits: JSONLimits(depth: 32, bytes: limit))
        else {
            self = .signed(body)
            return
        }
        if let text = try? object.string("signedPayload") {
            self = .signed(Array(text.utf8))
        } else if object.range(of: "notification_type") ?? object.range(of: "unified_receipt") != nil {
            self = .version1
        } else {
            self = .other
        }
    }
}
