internal import JSON

extension ArtifactKind {
    /// What a payload is by a member that only its kind has; `nil` if it has none of them.
    static func distinct(_ payload: JSONObject) -> ArtifactKind? {
        // The most frequent kind first: this runs for each text that is verified.
        if payload.range(of: "transactionId") != nil { return .transaction }
        if payload.range(of: "autoRenewStatus") ?? payload.range(of: "autoRenewProductId") != nil { return .renewal }
        if payload.range(of: "notificationType") ?? payload.range(of: "notificationUUID") != nil {
            return .notification
        }
        if payload.range(of: "receiptType") ?? payload.range(of: "receiptCreationDate") != nil {
            return .appTransaction
        }
        return nil
    }
}
