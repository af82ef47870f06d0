package import Messages

/// What orders the things that callers say: when the edge accepted them, then the message id.
///
/// It comes with the message and stays with it through retries and replays, so the order of arrival decides nothing.
package struct FactVersion: Hashable, Sendable, Comparable {
    package var acceptedAt: Timestamp
    package var message: MessageID

    package init(_ acceptedAt: Timestamp, _ message: MessageID) {
        self.acceptedAt = acceptedAt
        self.message = message
    }

    /// By time, then by the bytes of the id: the order in which the store sorts them too.
    package static func < (left: FactVersion, right: FactVersion) -> Bool {
        left.acceptedAt != right.acceptedAt
            ? left.acceptedAt < right.acceptedAt
            : left.message.rawValue.utf8.lexicographicallyPrecedes(right.message.rawValue.utf8)
    }
}
