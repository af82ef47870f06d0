internal import Crypto
internal import JSON
internal import Messages
internal import Messaging
internal import SQLite

/// A delivery as the lane understands it, before anything is stored: pure work, done in parallel.
struct IncomingMessage: Sendable {
    /// What is to be done with it.
    enum Content: Sendable {
        /// Apply it.
        case work(AnyMessageHandler.Work)
        /// Keep it.
        case checkpoint(PublisherCheckpoint)
        /// Another partition owns its key.
        case foreign(partition: Int)
        /// No verdict can be reached.
        case fault(MessageFault, step: String)
    }

    let delivery: Delivery
    /// SHA-256 of kind and body.
    let digest: [UInt8]
    let context: MessageContext
    let content: Content
    /// An operator has put it back: what becomes of it is noted beside his selection.
    let isReplay: Bool

    init(_ delivery: Delivery, at now: Timestamp, in address: PartitionAddress, handlers: HandlerTable) {
        let envelope = delivery.envelope
        let kind = envelope.kind ?? ""
        digest = Digest.sha256(Array(kind.rawValue.utf8) + [0] + envelope.body)
        // A stranger's message without an id: the same bytes are the same message, for a day.
        let id = envelope.id ?? MessageID(rawValue: "sha256:" + digest.hexadecimal)
        // Only the service itself makes copies; from anybody else the header would be a disguise.
        let user = envelope.properties.userID.map(BrokerUser.init(rawValue:))
        let isCopy = user == BrokerUser(of: address.service) && envelope.firstUser != nil
        let author = isCopy ? envelope.firstUser.map(BrokerUser.init(rawValue:)) : user
        isReplay = isCopy && envelope.generation > 0

        func context(_ bucket: Bucket) -> MessageContext {
            MessageContext(
                id: id, kind: kind, bucket: bucket,
                acceptedAt: MessageContext.credible(envelope.acceptedAt, arrivedAt: now), now: now, author: author,
                cause: envelope.cause, by: envelope.by, traceparent: envelope.traceparent)
        }

        self.delivery = delivery
        if isCopy, let why = envelope.condemned {
            self.context = context(Bucket(of: envelope.key ?? id.rawValue))
            content = .fault(.condemned(why), step: Self.deliveryStep)
            return
        }
        do {
            if kind == PublisherCheckpoint.kind {
                let checkpoint: PublisherCheckpoint = try Self.decode(envelope.body)
                guard checkpoint.publisher.belongs(to: user) else {
                    throw MessageFault.forever(
                        .notFromOwner,
                        "A checkpoint in another's name is not taken from \(user?.rawValue ?? "an unnamed user")")
                }
                guard (0...1 << 53).contains(checkpoint.through) else {
                    throw MessageFault.forever(.undecodable, "through is not a number from 0 to 2^53")
                }
                self.context = context(SeenNumbers.bucket(of: checkpoint.routingKey))
                content = .checkpoint(checkpoint)
                return
            }
            guard envelope.kind != nil else {
                throw MessageFault.forever(.kindMissing, "The message has neither type nor header kind")
            }
            guard let handler = handlers.messages[kind] else {
                throw MessageFault.forNow(.kindUnknown, "\(address.service) takes no \(kind)")
            }
            if let authors = handler.description.authors, author.map(authors.contains) != true {
                throw MessageFault.forever(
                    .notFromOwner, "\(kind) is not taken from \(author?.rawValue ?? "an unnamed user")")
            }
            let (bucket, prepare) = try handler.decode(envelope.body)
            let context = context(bucket)
            self.context = context
            if !handler.description.isConfiguration, !address.owns(bucket) {
                content = .foreign(partition: bucket.partition(of: address.count))
                return
            }
            do {
                content = .work(try prepare(context))
            } catch {
                content = .fault(Self.fault(error), step: "prepare")
            }
        } catch {
            self.context = context(Bucket(of: envelope.key ?? id.rawValue))
            content = .fault(Self.fault(error), step: "decode")
        }
    }

    /// How often an operator has replayed it.
    var generation: Int { isReplay ? delivery.envelope.generation : 0 }

    /// Whether it may have nothing to write.
    var canBeSettled: Bool {
        if case .work(let work) = content { work.settle != nil } else { false }
    }

    /// The answer, where there is nothing to write; nil: it has to be applied.
    func settle(in snapshot: borrowing Snapshot) throws -> StoredAnswer? {
        guard case .work(let work) = content else { return nil }
        return try work.settle?(context, snapshot)
    }

    /// When it failed first, if it fails now.
    var firstFailure: Timestamp {
        MessageContext.credible(delivery.envelope.firstFailure, arrivedAt: context.now)
    }

    /// The message as the service itself publishes it again: under the same id, saying what was seen at first, and
    /// without what would steer the broker on the service's account.
    var copy: Envelope {
        var copy = delivery.envelope
        copy.properties.headers.entries.removeAll { Self.steers($0.name) }
        // Shorter than the rung it would come back before its time, and circle.
        copy.properties.expiration = nil
        copy.properties.userID = nil
        copy.properties.deliveryMode = 2
        copy.id = context.id
        copy.acceptedAt = context.acceptedAt
        copy.firstUser = context.author?.rawValue ?? ""
        // In the service's copy it would be the service's word.
        if !isReplay { copy.properties.headers["generation"] = nil }
        return copy
    }

    /// The step of what the broker gave up.
    static let deliveryStep = "delivery"

    /// Headers that the broker writes, and those that make it route to more queues (rabbitmq.com/sender-selected.html):
    /// the copy goes out with the service's permissions, not with those of whoever chose its routing keys. `condemned` is
    /// the service's own word.
    private static func steers(_ header: String) -> Bool {
        ["CC", "BCC", "x-death", "x-delivery-count", "x-acquired-count", "condemned"].contains(header)
            || header.hasPrefix("x-first-death-") || header.hasPrefix("x-last-death-")
    }

    static func fault(_ error: any Error) -> MessageFault {
        (error as? MessageFault) ?? .forNow(.failed, String(describing: error))
    }

    private static func decode<Value: Decodable>(_ body: [UInt8]) throws -> Value {
        do {
            return try JSONCoding.decode(Value.self, from: body, limits: .messageBody)
        } catch {
            throw MessageFault.forever(.undecodable, "\(error)")
        }
    }
}
