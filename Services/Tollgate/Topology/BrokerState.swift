internal import Messages

/// What a broker has, as its management API says.
package struct BrokerState: Sendable {
    /// The virtual host that it was asked about.
    package var virtualHost: String
    package var exchanges: [ManagedExchange]
    package var queues: [ManagedQueue]
    package var bindings: [ManagedBinding]
    package var users: [ManagedUser]
    package var permissions: [ManagedPermission]
    package var topicPermissions: [ManagedTopicPermission]

    package init(
        virtualHost: String = "/", exchanges: [ManagedExchange] = [], queues: [ManagedQueue] = [],
        bindings: [ManagedBinding] = [], users: [ManagedUser] = [], permissions: [ManagedPermission] = [],
        topicPermissions: [ManagedTopicPermission] = []
    ) {
        self.virtualHost = virtualHost
        self.exchanges = exchanges
        self.queues = queues
        self.bindings = bindings
        self.users = users
        self.permissions = permissions
        self.topicPermissions = topicPermissions
    }
}

/// Something that a broker has otherwise than the installation needs it.
package struct Difference: Codable, Sendable, Hashable {
    /// What it is about: `queue receipt-validator.0`.
    package var subject: String
    /// What is wrong with it.
    package var problem: String
    /// What to do about it.
    package var remedy: String

    package init(_ subject: String, _ problem: String, remedy: String) {
        self.subject = subject
        self.problem = problem
        self.remedy = remedy
    }
}

extension QueueDeclaration.Argument {
    /// As people write it.
    var written: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .flag(let flag): String(flag)
        }
    }
}
