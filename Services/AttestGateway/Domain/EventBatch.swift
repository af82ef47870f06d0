internal import Messages

/// A batch of events on its way: what is still to be sent, and what was dropped of it.
struct EventBatch {
    /// An event that nothing is wrong with so far.
    struct Sent {
        /// Its place in the batch, from 0.
        let index: Int
        let app: AppID
        let user: AppUserID
        var event: SignpostEvent
    }

    private(set) var sent: [Sent] = []
    private var rejected: [EventsAnswer.Rejected] = []
    private var rejectedNames: [EventName] = []

    /// Whose events one command carries.
    private struct Recipient: Hashable {
        let app: AppID
        let user: AppUserID
    }

    init(_ body: EventsBody) {
        for (index, reading) in body.events.enumerated() {
            switch reading {
            case .event(let app, let user, let event):
                sent.append(Sent(index: index, app: app, user: user, event: event))
            case .fault(let fault, let name): reject(index, fault, name: name)
            }
        }
    }

    /// The apps of what is to be sent.
    var apps: Set<AppID> { Set(sent.map(\.app)) }

    /// Gives those events an id that have neither one nor a time, after the request that brought them: a repeat of it brings
    /// the same ones.
    mutating func name(by request: MessageID) {
        for place in sent.indices where sent[place].event.id == nil && !sent[place].event.hasTime {
            sent[place].event.id = "\(request):\(sent[place].index)"
        }
    }

    /// Drops what `fault` finds something wrong with.
    mutating func drop(_ fault: (Sent) -> EventFault?) {
        var kept: [Sent] = []
        for event in sent {
            if let fault = fault(event) {
                reject(event.index, fault, name: fault.isAboutName ? event.event.name.rawValue : nil)
            } else {
                kept.append(event)
            }
        }
        sent = kept
    }

    private mutating func reject(_ index: Int, _ fault: EventFault, name: String?) {
        rejected.append(EventsAnswer.Rejected(index: index, code: fault))
        guard let name = name.map(EventName.init(rawValue:)), !rejectedNames.contains(name) else { return }
        rejectedNames.append(name)
    }

    /// What is to be sent: one for each user of each app, in the order in which they came.
    func commands(for apps: [AppID: AppRecord], trust: Trust) -> [EventsRecord] {
        var places: [Recipient: Int] = [:]
        var commands: [EventsRecord] = []
        for event in sent {
            guard let app = apps[event.app] else { continue }
            let recipient = Recipient(app: event.app, user: event.user)
            let place = places[recipient] ?? commands.count
            if place == commands.count {
                places[recipient] = place
                commands.append(
                    EventsRecord(
                        organisation: app.organisation, app: app.app, user: event.user, events: [], trust: trust))
            }
            commands[place].events.append(event.event)
        }
        return commands
    }

    /// What the caller is told.
    var answer: EventsAnswer {
        EventsAnswer(
            stored: sent.count, rejected: rejected.sorted { $0.index < $1.index },
            rejectedNames: rejectedNames.map(\.rawValue))
    }
}

extension SignpostEvent {
    fileprivate var hasTime: Bool { at != nil || sentAt != nil }
}

/// The answer of `POST /api/sdk/v1/events`.
struct EventsAnswer: Codable {
    /// An event that was dropped.
    struct Rejected: Codable {
        /// Its place in the batch, from 0.
        let index: Int
        /// Why, as a stable code.
        let code: EventFault
    }

    let ok: Bool
    /// How many are kept.
    let stored: Int
    /// Names that cannot be used, each once; absent where there are none.
    let rejectedNames: [String]?
    /// What was dropped; absent where nothing was.
    let rejected: [Rejected]?

    init(stored: Int, rejected: [Rejected], rejectedNames: [String]) {
        ok = true
        self.stored = stored
        self.rejected = rejected.isEmpty ? nil : rejected
        self.rejectedNames = rejectedNames.isEmpty ? nil : rejectedNames
    }
}
