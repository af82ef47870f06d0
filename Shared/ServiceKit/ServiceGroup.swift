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

    /// Returns when the task is cancelled, or a part has ended by itself, and every part has stopped; throws the first
    /// error of a part that failed, also while it stopped.
    public func run() async throws {
        let (ends, ended) = AsyncStream.makeStream(of: (any Error)?.self)
        // Not a task group: its children cannot be cancelled one at a time. Each of these is awaited below, and runs up
        // to its first suspension before the next one starts.
        let tasks = members.map { member in
            Task<(any Error)?, Never>.immediate {
                do {
                    try await member.service.run()
                    ended.yield(nil)
                    return nil
                } catch {
                    ended.yield(error)
                    return error
                }
            }
        }
        var failure = await withTaskCancellationHandler {
            var iterator = ends.makeAsyncIterator()
            return await iterator.next() ?? nil
        } onCancel: {
            ended.finish()
        }
        for (member, task) in zip(members, tasks).reversed() {
            task.cancel()
            let error = await task.value
            guard let error, !(error is CancellationError) else {
                logger.debug("stopped", ["part": .string(member.name)])
                continue
            }
            logger.error(
                "failed", ["part": .string(member.name), "error": .string(String(reflecting: error))])
            failure = failure ?? error
        }
        if let failure { throw failure }
    }
}
