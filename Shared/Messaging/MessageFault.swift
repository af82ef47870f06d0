/// A message that no verdict could be reached on, through a fault of its own.
///
/// Everything else that is thrown while a message is handled is taken for a fault of the moment (the ladder), except a
/// store that cannot be written, which is ours: the lane pauses and charges nothing to the message.
public struct MessageFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether the same bytes may be good later.
    public enum Duration: Sendable, Hashable {
        /// Never: a dead letter at once.
        case forever
        /// Perhaps: the retry ladder, then a dead letter.
        case forNow
    }

    /// Why no verdict could be reached: `snake_case`, stable.
    public struct Reason: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
        /// The code.
        public let rawValue: String
        /// Takes any code.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// From a literal.
        public init(stringLiteral value: String) { rawValue = value }

        /// The body is not what its kind asks for.
        public static let undecodable: Reason = "undecodable"
        /// No kind is named.
        public static let kindMissing: Reason = "kind_missing"
        /// This release does not know the kind.
        public static let kindUnknown: Reason = "kind_unknown"
        /// Only its owner may publish it, and somebody else did.
        public static let notFromOwner: Reason = "not_from_owner"
        /// The id was used for another body before.
        public static let idReused: Reason = "id_reused"
        /// No partition owned the key after two forwards.
        public static let noOwner: Reason = "no_owner"
        /// The process died of it, again and again.
        public static let crashed: Reason = "crashed"
        /// The broker gave up delivering it.
        public static let condemned: Reason = "condemned_by_broker"
        /// The store refuses what it would write.
        public static let unstorable: Reason = "unstorable"
        /// It is too large to be handled.
        public static let tooLarge: Reason = "too_large"
        /// A query that was not answered within the time that its asker waits.
        public static let tookTooLong: Reason = "took_too_long"
        /// Something went wrong that has no code of its own.
        public static let failed: Reason = "failed"
    }

    /// Whether it may be good later.
    public let duration: Duration
    /// Why.
    public let reason: Reason
    /// For people; cut to 1,000 characters.
    public let text: String

    private init(_ duration: Duration, _ reason: Reason, _ text: String) {
        self.duration = duration
        self.reason = reason
        self.text = String(text.prefix(1000))
    }

    /// Can never be applied.
    public static func forever(_ reason: Reason, _ text: String) -> MessageFault {
        MessageFault(.forever, reason, text)
    }
    /// Cannot be applied yet.
    public static func forNow(_ reason: Reason, _ text: String) -> MessageFault { MessageFault(.forNow, reason, text) }

    /// Both.
    public var description: String { "\(text) (\(reason.rawValue))" }
}
