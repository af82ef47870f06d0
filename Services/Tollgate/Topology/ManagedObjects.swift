package import Messages
package import JSON

/// What the management API of the broker says of itself, as far as we look at it (rabbitmq.com/management.html). Read
/// leniently: a field that we do not need may be missing or of another type.
package struct ManagedQueue: Decodable, Sendable, Hashable {
    package var name: String
    package var isDurable: Bool
    package var isExclusive: Bool
    /// An argument of a type that we never declare is nil.
    package var arguments: [String: QueueDeclaration.Argument?]
    /// What policies set on top of the arguments, by name.
    package var policySettings: [String]
    /// Ready and unacknowledged; nil until the broker has counted.
    package var messages: Int?

    private enum CodingKeys: String, CodingKey {
        case name, durable, exclusive, arguments, messages
        case policy = "effective_policy_definition"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        isDurable = (try? container.decode(Bool.self, forKey: .durable)) ?? false
        isExclusive = (try? container.decode(Bool.self, forKey: .exclusive)) ?? false
        // An empty table is written as [].
        let arguments = try? container.decode([String: ManagedValue].self, forKey: .arguments)
        self.arguments = (arguments ?? [:]).mapValues(\.argument)
        policySettings = ((try? container.decode([String: ManagedValue].self, forKey: .policy)) ?? [:]).keys.sorted()
        messages = try? container.decode(Int.self, forKey: .messages)
    }
}

/// An exchange.
package struct ManagedExchange: Decodable, Sendable, Hashable {
    package var name: String
    package var type: String
    package var durable: Bool
}

/// A binding, of a queue or between exchanges.
package struct ManagedBinding: Decodable, Sendable, Hashable {
    package var source: String
    package var destination: String
    /// `queue` or `exchange`.
    package var destinationType: String
    package var routingKey: String

    private enum CodingKeys: String, CodingKey {
        case source, destination
        case destinationType = "destination_type"
        case routingKey = "routing_key"
    }
}

/// A login.
package struct ManagedUser: Decodable, Sendable, Hashable {
    package var name: String
    package var tags: [String]

    private enum CodingKeys: String, CodingKey {
        case name, tags
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        name = try container.decode(String.self, forKey: .name)
        if let list = try? container.decode([String].self, forKey: .tags) {
            tags = list
        } else {
            // Brokers before 3.9 write them with commas between.
            let text = (try? container.decode(String.self, forKey: .tags)) ?? ""
            tags = text.split(separator: ",").map(String.init)
        }
    }
}

/// What a login may do in one virtual host.
package struct ManagedPermission: Decodable, Sendable, Hashable {
    package var user: String
    package var vhost: String
    package var configure: String
    package var write: String
    package var read: String
}

/// Under which routing keys a login may publish to a topic exchange.
package struct ManagedTopicPermission: Decodable, Sendable, Hashable {
    package var user: String
    package var vhost: String
    package var exchange: String
    package var write: String
    package var read: String
}

/// Any JSON value; those that a queue's argument can have are told apart.
private struct ManagedValue: Decodable {
    let argument: QueueDeclaration.Argument?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let flag = try? container.decode(Bool.self) {
            argument = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            argument = .integer(number)
        } else if let text = try? container.decode(String.self) {
            argument = .text(text)
        } else {
            argument = nil
        }
    }
}

/// Reads lists of the management API.
package enum ManagedList {
    /// Bounded: a broker of thousands of queues fits, and no answer fills the memory.
    package static let limits = JSONLimits(depth: 16, bytes: 64 << 20)

    /// - Throws: `JSONError` for anything but an array of such objects.
    package static func decode<Item: Decodable>(_ type: Item.Type, from body: [UInt8]) throws(JSONError) -> [Item] {
        try JSONCoding.decode([Item].self, from: body, limits: limits)
    }
}
