internal import Messages
internal import Messaging

/// Asks the partitions of a service, one at a time.
struct ServicePartitions: Sendable {
    let service: ServiceName
    let conversation: Conversation
    /// How many there are, as the service says itself.
    let count: Int

    /// How long a partition is asked again that has no owner at the moment, unless the operator waits less for an answer.
    private static let patience = Duration.seconds(2)

    /// - Throws: ``ToolFailure``.
    init(of service: ServiceName, _ conversation: Conversation) async throws {
        self.service = service
        self.conversation = conversation
        count = try await Self.ask(
            PartitionReportGet.kind, PartitionReportGet(partition: 0), of: service, partition: 0,
            as: PartitionReport.self, conversation
        ).partitions
    }

    /// The one that owns `key`.
    func partition(of key: String) -> Int? {
        PartitionCount(rawValue: count).map { Bucket(of: key).partition(of: $0) }
    }

    /// Puts a query or a request to the partition that it names.
    ///
    /// - Throws: ``ToolFailure``.
    func ask<M: AddressedMessage & NamingPartition>(_ message: M) async throws -> M.Value {
        try await Self.ask(M.kind, message, of: service, partition: message.partition, as: M.Value.self, conversation)
    }

    private static func ask<Value: Codable & Sendable>(
        _ kind: MessageKind, _ body: some Encodable, of service: ServiceName, partition: Int, as type: Value.Type,
        _ conversation: Conversation
    ) async throws -> Value {
        let deadline = ContinuousClock.now + min(conversation.limit, patience)
        while true {
            do {
                let answer = try await conversation.answer(kind, body, of: service, partition: partition, as: type)
                return try Conversation.value(of: answer, from: service)
            } catch RequestError.noOwner where ContinuousClock.now < deadline && !Task.isCancelled {
                // Between two owners, as at a restart: the next one is there in a moment, and does not announce itself.
                try await Task.sleep(for: .milliseconds(200))
            } catch let error as RequestError {
                throw ToolFailure(error, asking: service, isDurable: false)
            }
        }
    }
}
