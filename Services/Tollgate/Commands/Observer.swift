internal import Messages
internal import Messaging

/// Looks at an installation: asks every partition, and the broker for what waits.
struct Observer: Sendable {
    var conversation: Conversation
    let management: ManagementAPI?
    /// What is believed of services that do not answer.
    let layout: Topology.Layout
    /// Between two checkpoints of a publisher.
    let checkpointInterval: Duration

    /// How often a partition without an owner is asked, and how long apart: one that is being restarted comes back.
    private static let tries = 5
    private static let pause = Duration.milliseconds(200)

    /// One look. The services are asked in the order in which messages pass through them, the queues at last: what
    /// moves on in the meantime is seen where it comes to.
    func look() async throws -> Look {
        var look = Look(at: .now, counts: [:], reports: [], silent: [], depths: nil, patience: checkpointInterval * 3)
        for service in ServiceName.all { await look.add(answers(of: service)) }
        look.depths = try await depths(look.counts)
        look.at = .now
        return look
    }

    /// Who holds what, over all partitions.
    ///
    /// - Throws: ``ToolFailure``.
    func holdings() async throws -> HoldingsLedger {
        var ledger = HoldingsLedger()
        try await PartitionWalk(HoldingsPage(partition: 0), conversation).run { page, _ in
            ledger.add(page.holdings)
            return true
        }
        return ledger
    }

    /// The first partition says how many there are; then the others are asked at once.
    private func answers(of service: ServiceName) async -> Answers {
        let first = await ask(service, 0)
        let believed = layout.count(of: service)
        guard case .success(let report) = first else {
            let others = await ask(service, Array(1..<believed.rawValue))
            return Answers(service: service, count: believed, results: [(0, first)] + others)
        }
        let count = PartitionCount(rawValue: report.partitions) ?? believed
        return Answers(
            service: service, count: count,
            results: [(0, first)] + (await ask(service, Array(1..<count.rawValue))))
    }

    private func ask(_ service: ServiceName, _ partitions: [Int]) async -> [(Int, Result<PartitionReport, any Error>)] {
        await withTaskGroup(of: (Int, Result<PartitionReport, any Error>).self) { group in
            for partition in partitions { group.addTask { (partition, await ask(service, partition)) } }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
        }
    }

    private func ask(_ service: ServiceName, _ partition: Int) async -> Result<PartitionReport, any Error> {
        var result: Result<PartitionReport, any Error>
        var tries = 0
        repeat {
            // Between two owners nobody says that there is one again; the tries are few.
            if tries > 0 { try? await Task.sleep(for: Self.pause) }
            tries += 1
            do {
                result = .success(
                    try await conversation.ask(
                        PartitionReportGet.kind, PartitionReportGet(partition: partition), of: service,
                        partition: partition, as: PartitionReport.self))
            } catch {
                result = .failure(error)
            }
        } while tries < Self.tries && result.hasNoOwner
        return result
    }

    /// What waits in the queues of the services: what is ready at this moment, and what the management API says that is
    /// ready or in somebody's hands, up to ten seconds ago. The larger one counts, for a lane that cannot write keeps
    /// what it has in hand. Of a ladder's queues, which nobody consumes, the first says it all.
    private func depths(_ counts: [ServiceName: PartitionCount]) async throws -> [String: Int] {
        let layout = Topology.Layout(partitions: counts, retryDelays: layout.retryDelays)
        var depths: [String: Int] = [:]
        for queue in Topology(layout).queues { depths[queue.name] = try await conversation.ready(in: queue.name) }
        for queue in try await management?.queues() ?? [] where !queue.name.contains(".retry.") {
            depths[queue.name] = max(depths[queue.name] ?? 0, queue.messages ?? 0)
        }
        return depths
    }
}

extension Result<PartitionReport, any Error> {
    fileprivate var hasNoOwner: Bool {
        if case .failure(RequestError.noOwner) = self { true } else { false }
    }
}

/// What the partitions of one service answered.
private struct Answers {
    let service: ServiceName
    let count: PartitionCount
    let results: [(partition: Int, result: Result<PartitionReport, any Error>)]
}

extension Look {
    /// A partition that speaks for another, or counts its siblings differently, has not answered.
    fileprivate mutating func add(_ answers: Answers) {
        counts[answers.service] = answers.count
        for (partition, result) in answers.results {
            switch result {
            case .failure(let error):
                silent.append(Silence(service: answers.service, partition: partition, why: "\(error)"))
            case .success(let report):
                guard report.service == answers.service, report.partition == partition,
                    report.partitions == answers.count.rawValue
                else {
                    silent.append(
                        Silence(
                            service: answers.service, partition: partition,
                            why: "it says that it is \(report.service).\(report.partition) of \(report.partitions)"))
                    continue
                }
                reports.append(report)
            }
        }
    }
}
