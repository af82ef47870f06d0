internal import JSON
internal import Messages
internal import Messaging
internal import ServiceKit
internal import SQLite

/// Answers a partition's queries from reader connections, and applies its requests as the lane does.
struct QueryDesk: Sendable {
    let lane: Lane
    private let operators: OperatorDesk

    init(lane: Lane) {
        self.lane = lane
        operators = OperatorDesk(lane: lane)
    }

    /// How many queries, and batches of requests, are in work at a time.
    private static let width = 8

    func run(_ subscription: any Subscription) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var running = 0
            while let deliveries = try await subscription.next(upTo: 64, bytes: 8 << 20) {
                // Transient: whoever asked asks again, or says 503.
                await subscription.settle(deliveries, .acknowledge)
                let requests = deliveries.filter { isRequest($0) }
                let queries = deliveries.filter { !isRequest($0) }.map { [$0] }
                for portion in (requests.isEmpty ? [] : [requests]) + queries {
                    if running == Self.width {
                        _ = try await group.next()
                        running -= 1
                    }
                    group.addTask { isRequest(portion[0]) ? await apply(portion) : await answer(portion[0]) }
                    running += 1
                }
            }
        }
    }

    private func isRequest(_ delivery: Delivery) -> Bool {
        guard let kind = delivery.envelope.kind else { return false }
        return lane.handlers.messages[kind]?.description.role == .request
    }

    private func apply(_ requests: [Delivery]) async {
        do {
            try await lane.take(requests: requests)
        } catch {
            let fault = MessageFault.forNow(.failed, "The store takes no writes: \(error)")
            await send(requests.map { ($0, StoredAnswer.failed(fault)) })
        }
    }

    private func answer(_ delivery: Delivery) async {
        let envelope = delivery.envelope
        let result: StoredAnswer
        do {
            if envelope.kind == PartitionReportGet.kind {
                result = StoredAnswer(.applied(try await PartitionReporter(lane: lane).report()))
            } else if let handler = lane.handlers.queries[envelope.kind ?? ""] {
                let author = envelope.properties.userID.map(BrokerUser.init(rawValue:))
                if let authors = handler.authors, author.map(authors.contains) != true {
                    throw MessageFault.forever(
                        .notFromOwner, "Not answered to \(author?.rawValue ?? "an unnamed user")")
                }
                result = try await lane.database.read { try handler.answer(envelope.body, $0) }
            } else if let answer = try await operators.answer(envelope) {
                result = answer
            } else {
                result = .failed(.forNow(.kindUnknown, "\(lane.address.service) answers no \(envelope.kind ?? "")"))
            }
        } catch {
            lane.logger.warning(
                "query failed",
                ["kind": .string(envelope.kind?.rawValue ?? ""), "error": .string(String(reflecting: error))])
            result = .failed(IncomingMessage.fault(error))
        }
        await send([(delivery, result)])
    }

    private func send(_ answers: [(Delivery, StoredAnswer)]) async {
        let now = lane.clock()
        await lane.publisher.send(
            answers.compactMap { delivery, answer in
                (try? answer.encoded()).flatMap { delivery.envelope.reply($0, at: now) }
            })
    }
}
