internal import Messages
internal import Messaging

/// Asks every partition of entitlement-resolver, one after the other.
struct ResolverPartitions: Sendable {
    static let service = ServiceName.entitlementResolver

    let conversation: Conversation
    /// How many there are, as the service says itself.
    let count: Int

    /// How long a partition is asked again that has no owner at the moment.
    private static let patience = Duration.seconds(2)

    init(_ conversation: Conversation) async throws {
        self.conversation = conversation
        count = try await Self.ask(
            PartitionReportGet.kind, PartitionReportGet(partition: 0), partition: 0, as: PartitionReport.self,
            conversation
        ).partitions
    }

    /// A page of one partition.
    ///
    /// - Throws: ``ToolFailure``.
    func ask<Q: Query>(_ query: Q, partition: Int) async throws -> Q.Value {
        try await Self.ask(Q.kind, query, partition: partition, as: Q.Value.self, conversation)
    }

    /// The same of a request.
    func ask<R: Request>(_ request: R, partition: Int) async throws -> R.Value {
        try await Self.ask(R.kind, request, partition: partition, as: R.Value.self, conversation)
    }

    private static func ask<Value: Codable & Sendable>(
        _ kind: MessageKind, _ body: some Encodable, partition: Int, as type: Value.Type, _ conversation: Conversation
    ) async throws -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            do {
                return try await conversation.ask(kind, body, of: service, partition: partition, as: type)
            } catch RequestError.noOwner where ContinuousClock.now < deadline && !Task.isCancelled {
                // Between two owners, as at a restart: the next one is there in a moment, and does not announce itself.
                try await Task.sleep(for: .milliseconds(200))
            } catch let error as RequestError {
                throw ToolFailure(error, asking: service, isDurable: false)
            } catch let refusal as Refusal {
                throw ToolFailure(.failed, "\(service).\(partition) says no: \(refusal)")
            }
        }
    }
}
