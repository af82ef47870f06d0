internal import Messages

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
    static let rate = Option.number(
        "--rate", "NUMBER", "Look at so many artifacts a second at most", in: 1...100_000, default: 500)

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
            let partitions = try await ServicePartitions(of: ArtifactsPage.recipient, conversation)
            while position.partition < partitions.count {
                let started = ContinuousClock.now
                var question = question
                question.partition = position.partition
                question.after = position.after
                let page = try await partitions.ask(question)
                guard page.next != position.after || page.next == nil else {
                    throw ToolFailure(.failed, "\(partitions.service).\(position.partition) goes round in circles")
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
}

extension ToolFailure {
    /// What stopped a walk, and how to go on.
    fileprivate init(_ error: any Error, at position: ArtifactsWalk.Position) {
        let cause = error as? ToolFailure ?? ToolFailure(.failed, "\(error)")
        self.init(cause.status, cause.description, advice: "what was done stays done; --from \(position) goes on")
    }
}
