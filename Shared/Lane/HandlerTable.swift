internal import JSON
public import Messages
internal import Messaging
internal import SQLite

/// Everything that a service does with messages: a handler for each kind that it takes.
public struct HandlerTable: Sendable {
    private(set) var messages: [MessageKind: AnyMessageHandler] = [:]
    private(set) var queries: [MessageKind: AnyQueryHandler] = [:]
    private(set) var alarms: [any Alarm] = []

    /// Takes nothing yet.
    public init() {}

    /// Takes `handler`'s commands.
    public mutating func add<Handler: MessageHandler>(_ handler: Handler)
    where Handler.Body: Command, Handler.Body.Value == Handler.Value {
        messages[Handler.Body.kind] = AnyMessageHandler(handler, KindDescription(Handler.Body.self))
    }

    /// Takes `handler`'s requests.
    public mutating func add<Handler: MessageHandler>(_ handler: Handler)
    where Handler.Body: Request, Handler.Body.Value == Handler.Value {
        messages[Handler.Body.kind] = AnyMessageHandler(handler, KindDescription(Handler.Body.self))
    }

    /// Takes `handler`'s requests; those with nothing to write are answered from a reader.
    public mutating func add<Handler: SettlingHandler>(_ handler: Handler) where Handler.Body.Value == Handler.Value {
        messages[Handler.Body.kind] = AnyMessageHandler(handler, KindDescription(Handler.Body.self)) {
            request, context, snapshot in
            guard let verdict = try handler.settled(request, context, in: snapshot) else { return nil }
            return StoredAnswer(verdict)
        }
    }

    /// Takes `handler`'s events.
    public mutating func add<Handler: MessageHandler>(_ handler: Handler)
    where Handler.Body: Event, Handler.Value == Nothing {
        messages[Handler.Body.kind] = AnyMessageHandler(handler, KindDescription(Handler.Body.self))
    }

    /// Answers `handler`'s queries.
    public mutating func add<Handler: QueryHandler>(_ handler: Handler) {
        queries[Handler.Body.kind] = AnyQueryHandler(handler)
    }

    /// Rings `alarm` when it is due.
    public mutating func add(_ alarm: some Alarm) { alarms.append(alarm) }
}

/// A message handler without its types: what the lane calls.
struct AnyMessageHandler: Sendable {
    /// A decoded and prepared message.
    struct Work: Sendable {
        typealias Settle = @Sendable (MessageContext, borrowing Snapshot) throws -> StoredAnswer?

        /// The bucket of the key that the body names.
        let bucket: Bucket
        let apply: @Sendable (MessageContext, borrowing Transaction, inout Outgoing) throws -> StoredAnswer
        /// Answers where there is nothing to apply; nil: it is applied in any case.
        let settle: Settle?
        let committed: @Sendable () -> Void
    }

    let description: KindDescription
    private let decode: @Sendable ([UInt8]) throws -> (Bucket, @Sendable (MessageContext) throws -> Work)

    /// Looks whether there is anything to write, and answers if not.
    typealias Look<Prepared> = @Sendable (Prepared, MessageContext, borrowing Snapshot) throws -> StoredAnswer?

    /// - Parameter look: nil: there always may be.
    init<Handler: MessageHandler>(
        _ handler: Handler, _ description: KindDescription, look: Look<Handler.Prepared>? = nil
    ) {
        self.description = description
        decode = { body in
            let message: Handler.Body
            do {
                message = try JSONCoding.decode(Handler.Body.self, from: body, limits: .messageBody)
            } catch {
                throw MessageFault.forever(.undecodable, "\(error)")
            }
            let bucket = message.bucket
            return (
                bucket,
                { context in
                    let prepared = try handler.prepare(message, context)
                    return Work(
                        bucket: bucket,
                        apply: { context, transaction, outgoing in
                            StoredAnswer(
                                try handler.apply(prepared, context, in: transaction, outgoing: &outgoing))
                        }, settle: Self.settle(prepared, by: look), committed: { handler.committed(prepared) })
                }
            )
        }
    }

    private static func settle<Prepared: Sendable>(_ prepared: Prepared, by look: Look<Prepared>?) -> Work.Settle? {
        guard let look else { return nil }
        return { context, snapshot in try look(prepared, context, snapshot) }
    }

    /// The body's bucket, and what prepares it once the context is known.
    func decode(_ body: [UInt8]) throws -> (Bucket, @Sendable (MessageContext) throws -> Work) {
        try self.decode(body)
    }
}

/// A query handler without its types.
struct AnyQueryHandler: Sendable {
    /// Whose queries are answered; nil: anyone's.
    let authors: [BrokerUser]?
    let isLengthy: Bool
    let answer: @Sendable ([UInt8], borrowing Snapshot) throws -> StoredAnswer

    init<Handler: QueryHandler>(_ handler: Handler) {
        authors = Handler.Body.authors
        isLengthy = Handler.isLengthy
        answer = { body, snapshot in
            let query: Handler.Body
            do {
                query = try JSONCoding.decode(Handler.Body.self, from: body, limits: .messageBody)
            } catch {
                return .failed(MessageFault.forever(.undecodable, "\(error)"))
            }
            return StoredAnswer(try handler.answer(query, in: snapshot))
        }
    }
}

extension JSONLimits {
    /// Of a message's body: as deep as the edge takes, and as large as anything that the edge lets through.
    static let messageBody = JSONLimits(depth: 64, bytes: 8 << 20)
}
