/// What a message's body is: its fields, its kind, and the key that decides which partition takes it.
///
/// A published field is never renamed or retyped; a new need is a new optional field, or a new version of the kind.
public protocol Message: Codable, Sendable, Hashable {
    /// Name and version.
    static var kind: MessageKind { get }
    /// What the message is about.
    var key: String { get }
    /// The bucket that decides which partition takes it: of the key, unless the message names a partition.
    var bucket: Bucket { get }
}

extension Message {
    /// The bucket of the key.
    public var bucket: Bucket { Bucket(of: key) }
}

/// A message to one service, answered if its sender asks for it.
public protocol AddressedMessage: Message {
    /// What an answer carries when all went well.
    associatedtype Value: Codable & Sendable = Nothing
    /// Who takes it.
    static var recipient: ServiceName { get }
    /// Whose messages of this kind are taken; nil: anyone's.
    static var authors: [BrokerUser]? { get }
}

extension AddressedMessage {
    /// Anyone may send it.
    public static var authors: [BrokerUser]? { nil }
}

/// A durable message about one key: delivered at least once, applied once.
public protocol Command: AddressedMessage {}

/// A transient message that may write; its answer waits for the commit, and it does not outlive its caller.
public protocol Request: AddressedMessage {}

/// A transient message that changes nothing, answered from a reader.
public protocol Query: AddressedMessage {}

/// A fact that its owner publishes after having stored it.
public protocol Event: Message {
    /// The only service that may publish it.
    static var owner: ServiceName { get }
    /// The services that take it.
    static var subscribers: [ServiceName] { get }
    /// Whether every partition takes every one of them, whatever its key.
    static var isConfiguration: Bool { get }
}

extension Event {
    /// Partitions take those of their own buckets.
    public static var isConfiguration: Bool { false }
}

/// The value of an answer that has nothing to say but "done".
public struct Nothing: Codable, Sendable, Hashable {
    /// Nothing.
    public init() {}
}

/// The answer to a command, request or query, as it travels.
public enum Answer<Value: Codable & Sendable>: Sendable {
    /// It was applied, or this is what was asked for.
    case applied(Value)
    /// It was understood, and the answer is no: repeating it changes nothing.
    case refused(Refusal)
    /// No verdict could be reached now; nothing was applied.
    case failed(Refusal)
}

/// Why not: a stable code and a sentence.
public struct Refusal: Error, Codable, Sendable, Hashable, CustomStringConvertible {
    /// `snake_case`, stable.
    public var reason: String
    /// For people.
    public var message: String

    /// Pairs them.
    public init(_ reason: String, _ message: String) {
        self.reason = reason
        self.message = message
    }

    /// Both.
    public var description: String { "\(message) (\(reason))" }
}

extension Answer: Codable {
    private enum CodingKeys: String, CodingKey {
        case outcome, value, reason, message
    }

    /// From `{"outcome": "applied" | "refused" | "failed", …}`; an outcome we have not heard of is a failure.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .outcome) {
        case "applied": self = .applied(try container.decode(Value.self, forKey: .value))
        case "refused": self = .refused(try Refusal(from: decoder))
        case "failed": self = .failed(try Refusal(from: decoder))
        case let unknown:
            let text = "An outcome that this release does not know: \(unknown)"
            self = .failed((try? Refusal(from: decoder)) ?? Refusal("outcome_unknown", text))
        }
    }

    /// As `{"outcome": …}` with the value, or with reason and message.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .applied(let value):
            try container.encode("applied", forKey: .outcome)
            try container.encode(value, forKey: .value)
        case .refused(let refusal):
            try container.encode("refused", forKey: .outcome)
            try refusal.encode(to: encoder)
        case .failed(let refusal):
            try container.encode("failed", forKey: .outcome)
            try refusal.encode(to: encoder)
        }
    }
}
