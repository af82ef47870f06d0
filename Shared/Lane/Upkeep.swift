internal import Messages
internal import ServiceKit
internal import SQLite

/// Forgets the ids of messages that came long ago. Publishers that have gone are forgotten by the lane, which knows them.
struct Upkeep: Sendable {
    let lane: Lane

    /// How long a stranger's digest stands in for an id.
    private static let strangersKept = Duration.seconds(86_400)

    func run() async {
        while !Task.isCancelled {
            // Work by the clock: there is no event to wait for. Cancelled, the loop ends.
            try? await Task.sleep(for: lane.limits.upkeepInterval)
            if Task.isCancelled { return }
            do {
                try await pruneInbox()
            } catch {
                lane.logger.debug("upkeep put off", ["error": .string(String(reflecting: error))])
            }
        }
    }

    /// A pass over the whole inbox in small transactions, so that no batch waits long.
    private func pruneInbox() async throws {
        let now = lane.clock()
        let limit = now - lane.limits.inboxKept
        var cursor: String? = ""
        while let after = cursor, !Task.isCancelled {
            cursor = try await lane.database.write { transaction in
                try Inbox.prune(
                    appliedBefore: limit, strangersBefore: now - Self.strangersKept, after: after, in: transaction)
            }
        }
    }
}
