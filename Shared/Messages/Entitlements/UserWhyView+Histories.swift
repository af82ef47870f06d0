extension UserWhyView {
    /// How many chains are asked for at a time.
    private static let width = 8

    /// The answer to `question` with all that its chains' partitions know: the timelines of both sides as one.
    ///
    /// All or none: what could not be asked would be missing from the story without anybody noticing.
    ///
    /// - Parameter ask: puts a question to a chain's partition; what it throws ends it all.
    public func completed(
        for question: UserWhy, ask: @escaping @Sendable (ChainHistory) async throws -> ChainHistoryView
    ) async throws -> UserWhyView {
        let histories = try await withThrowingTaskGroup(of: ChainHistoryView.self) { group in
            var found: [ChainHistoryView] = []
            for (index, chain) in chains.enumerated() {
                if index >= Self.width, let history = try await group.next() { found.append(history) }
                let history = ChainHistory(
                    organisation: question.organisation, realm: chain.realm,
                    originalTransactionID: chain.originalTransactionID, knownAt: question.knownAt)
                group.addTask { try await ask(history) }
            }
            for try await history in group { found.append(history) }
            return found
        }
        var whole = self
        whole.timeline = Timeline.merging(timeline + histories.flatMap(\.entries))
        whole.isTruncated = isTruncated || histories.contains(where: \.isTruncated)
        return whole
    }
}
