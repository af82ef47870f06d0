/// What happens next in a line: each is sent when the one before it was applied.
enum Step: Hashable, Sendable {
    /// Who takes part in a line.
    enum Person: String, Hashable, Sendable, CaseIterable {
        /// Buys.
        case anna
        /// Claims what she has bought.
        case ben
        /// Claims it too, and has nothing to show for it.
        case carl
        /// Has an old phone, which sends a receipt with a purchase of her own.
        case dora
    }

    /// How it gets in.
    enum Door: String, Hashable, Sendable, CaseIterable {
        /// Through the edge, as a phone sends it.
        case phone
        /// Through the edge, as Apple's server sends it.
        case notification
        /// Straight onto the queue of a service, as a stranger pushes it.
        case queue
    }

    case identify(Person, Door)
    /// Three things said of him one after the other, and not waited for in between.
    case identifyThrice(Person)
    /// An install asks for its paywall, and takes part in the experiment.
    case paywall
    case impression(Door)
    case buy(Door)
    case renew(Door)
    /// A receipt of dora's.
    case receipt
    /// A server asks whether things are genuine; one of them may be a renewal of which nobody has heard so far.
    case verify
    /// Three periods told at once.
    case catchUp
    /// He will not renew.
    case cancel(Door)
    case refund(Door)
    /// Somebody else logs in on the phone, and it sends the purchase for him.
    case claim(Person, Door)
    /// A claim without evidence.
    case hearsay(Door)
    /// An operator gives it back to who had it before, and pins it there.
    case undo
    /// It may move again.
    case unpin
    case events(Person, Door)
    /// A device is enrolled and says who its user is.
    case attest
    /// It gets another token.
    case assert
    /// The device is ended.
    case revoke
    /// A purchase in an app that is connected after it was sent.
    case lateApp
    /// What was bought there unlocks something.
    case map
    /// An operator says there who may claim names of events, and takes one back.
    case names
    /// The key that has signed a purchase there is not believed any more.
    case turn
    /// A server gets a key, and loses it.
    case serverKey
    /// An operator looks at things.
    case look
    /// An operator drafts, starts, changes and stops an experiment in which nobody takes part, on a paywall with a place.
    case experiment
    case erase(Person)
    /// What no service can read.
    case poison

    /// As the report counts it.
    var name: String {
        switch self {
        case .identify(_, let door): "identify (\(door.rawValue))"
        case .identifyThrice: "identify three times at once (queue)"
        case .paywall: "paywall"
        case .impression(let door): "impression (\(door.rawValue))"
        case .buy(let door): "purchase (\(door.rawValue))"
        case .renew(let door): "renewal (\(door.rawValue))"
        case .receipt: "receipt (queue)"
        case .verify: "verdicts asked for (server)"
        case .catchUp: "three renewals at once (queue)"
        case .cancel(let door): "renewal switched off (\(door.rawValue))"
        case .refund(let door): "refund (\(door.rawValue))"
        case .claim(_, let door): "claim with evidence (\(door.rawValue))"
        case .hearsay(let door): "claim without evidence (\(door.rawValue))"
        case .undo: "link undone"
        case .unpin: "link unpinned"
        case .events(_, let door): "events (\(door.rawValue))"
        case .attest: "device enrolled"
        case .assert: "fresh token of a device"
        case .revoke: "device revoked"
        case .lateApp: "purchase before its app is connected (queue)"
        case .map: "product mapped"
        case .names: "event names ruled and released"
        case .turn: "verdicts turned"
        case .serverKey: "server key made and revoked"
        case .look: "looks of an operator"
        case .experiment: "experiment from draft to end"
        case .erase: "user erased"
        case .poison: "poison (queue)"
        }
    }
}
