internal import Apps
internal import Erasures
package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `events.record.v1`, in the partition of the user: keeps each event that is good, once. One whose name is not known here
/// waits out of sight until the app's partition has judged the name.
package struct RecordEvents: MessageHandler {
    /// The events, judged as far as they can be without a store.
    package typealias Prepared = JudgedEvents

    private let measures: EventMeasures

    package init(measures: EventMeasures) { self.measures = measures }

    package func prepare(_ message: EventsRecord, _ context: MessageContext) throws -> JudgedEvents {
        JudgedEvents(
            message, id: context.id, acceptedAt: context.acceptedAt, isFromEdge: context.isFrom(.attestGateway))
    }

    package func apply(
        _ events: JudgedEvents, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<EventsRecord.Value> {
        guard events.customer.user.isAcceptable else { return .refused(.identifierUnacceptable) }
        guard events.count <= EventRules.mostEvents else { return .refused(.tooManyEvents) }
        guard try AppStore.knows(events.app.id, of: events.app.organisation, in: transaction) else {
            throw MessageFault.unknownApp(events.app.id, of: events.app.organisation)
        }
        guard try !ErasureStore.covers(events.acceptedAt, of: events.customer, in: transaction) else {
            return .overtaken(EventsRecord.Value())
        }
        var value = EventsRecord.Value(rejected: events.faulty)
        var verdicts: [EventName: NameStore.Verdict] = [:]
        for event in events.good {
            let verdict =
                try verdicts[event.name]
                ?? NameStore.verdict(
                    on: event.name, of: events.app, isAttested: events.isAttested, at: events.acceptedAt,
                    in: transaction)
            if verdict == .unknown, verdicts[event.name] == nil {
                try propose(event.name, for: events, in: transaction, outgoing: &outgoing)
            }
            verdicts[event.name] = verdict
            switch verdict {
            case .accepted:
                let isNew = try EventStore.keep(event, of: events, from: context, on: .seen, in: transaction)
                if isNew { value.stored += 1 } else { value.repeated += 1 }
            case .unknown:
                let isNew = try EventStore.keep(event, of: events, from: context, on: .waiting, in: transaction)
                if isNew { value.waiting += 1 } else { value.repeated += 1 }
            case .rejected(let fault): value.rejected.append(.init(index: event.place, code: fault))
            }
        }
        value.rejected.sort { $0.index < $1.index }
        measures.count(value)
        return .applied(value)
    }

    /// Once for all events of a trust that wait for it.
    private func propose(
        _ name: EventName, for events: JudgedEvents, in transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws {
        let isThere = try WaitingEvents.contain(
            name, of: events.app, isAttested: events.isAttested, in: transaction)
        guard !isThere else { return }
        try outgoing.send(
            EventNamePropose(
                organisation: events.app.organisation, app: events.app.id, names: [name], trust: events.trust,
                acceptedAt: events.acceptedAt))
    }
}
