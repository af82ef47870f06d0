/// Runs the parts of a program together: started in order, stopped in reverse, each awaited before the next.
///
/// Put what others rely on first (a broker connection before the lanes that publish through it): then it is still
/// there while they finish.
public struct ServiceGroup: Service {
    /// One part and the name under which the log speaks of it.
    public struct Member: Sendable {
        let name: String
        let service: any Service

        /// - Parameter name: shown in the log when this part ends.
        public init(_ name: String, _ service: any Service) {
            self.name = name
            self.service = service
        }
    }

    private let members: [Member]
    private let logger: Logger

    /// - Parameter members: in start order.
    public init(_ members: [Member], logger: Logger) {
        self.members = members
        self.logger = logger
    }

    /// Returns when the task is cancelled and every part has stopped; throws the first error of a part that failed.
    public func run() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: Ended.self)
        // Not a task group: its children cannot be cancelled one at a time. Each of these is awaited below.
        let tasks = members.map { member in
            Task {
                do {
                    try await member.service.run()
                    ended.yield(Ended(name: member.name, error: nil))
                } catch {
                    ended.yield(Ended(name: member.name, error: error))
                }
            }
        }
        let first = await withTaskCancellationHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next()
        } onCancel: {
            ended.finish()
        }
        for (member, task) in zip(members, tasks).reversed() {
            task.cancel()
            await task.value
            logger.debug("stopped", ["part": .string(member.name)])
        }
        if let error = first?.error { throw error }
    }

    private struct Ended: Sendable {
        let name: String
        let error: (any Error)?
    }
}
