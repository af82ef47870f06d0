internal import Messages
internal import Messaging

/// Goes through what every partition of receipt-validator keeps, page by page.
struct ArtifactsWalk: Sendable {
    /// How far a walk has come.
    struct Position: Sendable, Equatable, CustomStringConvertible {
        var partition: Int
        /// Behind which artifact; nil: from the first one on.
        var after: String?

        var description: String { after.map { "\(partition):\($0)" } ?? "\(partition)" }

        init(partition: Int, after: String? = nil) {
            self.partition = partition
            self.after = after
        }

        /// As it is written.
        init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
            guard let partition = parts.first.flatMap({ Int($0) }), (0..<64).contains(partition) else { return nil }
            self.init(partition: partition, after: parts.count > 1 ? parts[1] : nil)
        }
    }

    static let from = Option<Position>(
        "--from", "POSITION", "Go on where a walk has stopped, as it said", expectation: "a position such as 3:acme/…",
        parse: Position.init)
    static let rate = Option<Int>(
        "--rate", "NUMBER", "Look at so many artifacts a second at most", expectation: "a number from 1 to 100000",
        default: "500"
    ) { Int($0).flatMap { (1...100_000).contains($0) ? $0 : nil } }

    let conversation: Conversation
    let question: ArtifactsPage
    let rate: Int

    /// Visits every page from `position` on, until `visit` says that it has seen enough.
    ///
    /// - Throws: ``ToolFailure``, which says from where to go on.
    func run(
        from start: Position?, visit: (ArtifactsPage.Value, Position) async throws -> Bool
    ) async throws {
        var position = start ?? Position(partition: 0)
        do {
            let report = try await conversation.ask(
                PartitionReportGet.kind, PartitionReportGet(partition: 0), of: ArtifactsPage.recipient, partition: 0,
                as: PartitionReport.self)
            while position.partition < report.partitions {
                let started = ContinuousClock.now
                let page = try await self.page(at: position)
                guard page.next != position.after || page.next == nil else {
                    throw ToolFailure(.failed, "\(ArtifactsPage.recipient).\(position.partition) goes round in circles")
                }
                guard try await visit(page, position) else { return }
                position =
                    page.next.map { Position(partition: position.partition, after: $0) }
                    ?? Position(partition: position.partition + 1)
                // The services have other work: the rate that was asked for is kept by waiting.
                try await Task.sleep(until: started + .seconds(1) * Double(page.looked) / Double(rate))
            }
        } catch {
            throw ToolFailure(error, at: position)
        }
    }

    private func page(at position: Position) async throws -> ArtifactsPage.Value {
        var question = question
        question.partition = position.partition
        question.after = position.after
        return try await conversation.ask(
            ArtifactsPage.kind, question, of: ArtifactsPage.recipient, partition: position.partition,
            as: ArtifactsPage.Value.self)
    }
}

extension ToolFailure {
    /// What stopped a walk, and how to go on.
    fileprivate init(_ error: any Error, at position: ArtifactsWalk.Position) {
        let cause: ToolFailure =
            switch error {
            case let error as ToolFailure: error
            case let error as RequestError: ToolFailure(error, asking: ArtifactsPage.recipient, isDurable: false)
            case let refusal as Refusal:
                ToolFailure(.unavailable, "\(ArtifactsPage.recipient) could not say now: \(refusal)")
            default: ToolFailure(.failed, "\(error)")
            }
        self.init(cause.status, cause.description, advice: "what was done stays done; --from \(position) goes on")
    }
}
