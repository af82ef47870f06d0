internal import Messages
internal import StoreSimulator

extension LoadKind {
    /// The next period of a subscription: a phone sends it for its user, a stranger for nobody in particular.
    static let renewal = LoadKind(name: "renewal", share: 15, doors: [.http, .queues]) { world, door in
        guard let person = world.renewed() else { return nil }
        let purpose = LoadMessage.Purpose.unlock(person: person.number, period: person.periods - 1)
        let transaction = person.purchase.latest
        return switch door {
        case .http: try world.attribution(of: transaction, to: person.number, through: door, purpose)
        case .queues:
            try .command(
                world.submission(try world.authority.signTransaction(transaction), .transaction), purpose)
        }
    }
}
