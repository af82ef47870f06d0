internal import Messages

/// A service that keeps something of users, and what it is asked for it.
struct UserKeeper: Sendable {
    /// Where its partitions name a user.
    private let tracesQuestion: any UserTracesQuestion.Type
    /// All that they keep of him; nil: entitlement-resolver, which has a question of its own.
    private let recordsQuestion: (any UserRecordsQuestion.Type)?

    var service: ServiceName { tracesQuestion.recipient }

    private init(traces: any UserTracesQuestion.Type, records: (any UserRecordsQuestion.Type)?) {
        (tracesQuestion, recordsQuestion) = (traces, records)
    }

    /// In the order of reports.
    static let all = [
        UserKeeper(traces: UserTraces.self, records: nil),
        UserKeeper(traces: PaywallTraces.self, records: PaywallExport.self),
        UserKeeper(traces: SignpostsTraces.self, records: SignpostsExport.self),
    ]

    /// Where the service names a user, by partition; nil: it does not answer.
    ///
    /// - Throws: ``ToolFailure``.
    func traces(
        of user: AppUserID, _ organisation: OrganisationID, _ conversation: Conversation
    ) async throws -> [UserTraces.Value]? {
        func ask<Question: UserTracesQuestion>(_ type: Question.Type) async throws -> [UserTraces.Value] {
            let partitions = try await ServicePartitions(of: service, conversation)
            var found: [UserTraces.Value] = []
            for partition in 0..<partitions.count {
                found.append(
                    try await partitions.ask(Question(partition: partition, organisation: organisation, user: user)))
            }
            return found
        }
        return try await unlessSilent { try await ask(tracesQuestion) }
    }

    /// All that the service keeps of a user; nil: it does not answer.
    ///
    /// - Throws: ``ToolFailure``.
    func records(
        of user: AppUserID, _ organisation: OrganisationID, _ conversation: Conversation
    ) async throws -> [UserRecordsPage.Record]? {
        func ask<Question: UserRecordsQuestion>(_ type: Question.Type) async throws -> [UserRecordsPage.Record] {
            let partitions = try await ServicePartitions(of: service, conversation)
            var found: [UserRecordsPage.Record] = []
            for partition in 0..<partitions.count {
                var question = Question(partition: partition, organisation: organisation, user: user)
                var page = try await partitions.ask(question)
                found += page.records
                while let next = page.next {
                    guard next != question.after else {
                        throw ToolFailure(.failed, "\(service).\(partition) goes round in circles")
                    }
                    question.after = next
                    page = try await partitions.ask(question)
                    found += page.records
                }
            }
            return found
        }
        guard let recordsQuestion else { return [] }
        return try await unlessSilent { try await ask(recordsQuestion) }
    }

    private func unlessSilent<Value>(_ body: () async throws -> Value) async throws -> Value? {
        do {
            return try await body()
        } catch let failure as ToolFailure where failure.status == .unavailable {
            return nil
        }
    }
}
