internal import Messages
package import Messaging

/// One message of a run, ready to be sent.
package struct LoadMessage: Sendable {
    /// What has to come of it.
    package enum Purpose: Sendable, Hashable {
        /// A person's purchase, or one of its renewals, unlocks something.
        case unlock(person: Int, period: Int)
        /// A person becomes known, or says something new of himself: the how manieth time it is.
        case introduce(person: Int, saying: Int)
        /// It is taken; what comes of it is not looked at.
        case tell
        /// Nothing: what it says is older than what is known, cannot be read, or was said before.
        case nothing(LoadDisturbance)
        /// A person's purchase that the store has not signed unlocks nothing.
        case refuse(person: Int)

        /// What is amiss with it on purpose.
        package var disturbance: LoadDisturbance? {
            switch self {
            case .unlock, .introduce, .tell: nil
            case .nothing(let disturbance): disturbance
            case .refuse: .forged
            }
        }
    }

    /// The way that it takes.
    package enum Way: Sendable {
        /// A POST to a path of the edge.
        case http(path: String, headers: [String: String], body: [UInt8])
        /// Onto the queue of a service.
        case queue(Publication)
    }

    /// Where its kind stands in the mix.
    package var kind: Int
    package var way: Way
    package var purpose: Purpose
    /// When it is due, after the beginning.
    package var due = Duration.zero

    package init(kind: Int, way: Way, purpose: Purpose, due: Duration = .zero) {
        self.kind = kind
        self.way = way
        self.purpose = purpose
        self.due = due
    }
}

/// What is done to honest traffic on purpose.
package enum LoadDisturbance: String, Sendable, Hashable, CaseIterable, Encodable {
    /// The same once more, a little later: under the same id where it has one.
    case duplicate
    /// Sent later than what follows from it.
    case reordered
    /// Signed earlier than what is known of the same transaction, and says that it has run out.
    case stale
    /// No service can read it: it has to become a dead letter, or be turned away at the door.
    case poison
    /// Its signature is not the store's.
    case forged
    /// Without id, key and time, as strangers may leave them out.
    case nameless
}
