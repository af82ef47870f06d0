internal import Lane
internal import Messages
internal import ServiceKit

/// How the installation is cut, as options and settings say.
enum LayoutOptions {
    static let partitions = Option<(service: ServiceName, count: PartitionCount)>(
        "--partitions", "SERVICE=N", "Into how many partitions a service is split",
        expectation: "a service and 1, 2, 4, 8, 16, 32 or 64, such as receipt-validator=4", isRepeatable: true
    ) { text in
        let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let service = ServiceName.all.first(where: { $0.rawValue == parts[0] }),
            let count = Int(parts[1]).flatMap(PartitionCount.init(rawValue:))
        else { return nil }
        return (service, count)
    }
    static let retryDelays = Option<[RetryDelay]>(
        "--retry-delays", "DELAYS", "The rungs of the retry ladder, shortest first",
        expectation: "durations with commas between them, such as 1s,10s,1m", variable: "TOLLGATE_RETRY_DELAYS",
        default: "1s,10s,1m,10m", parse: RetryDelay.parse)
    /// For all services at once, as each service reads it; the registry has one partition whatever it says.
    static let allPartitions = Setting<PartitionCount>(
        "TOLLGATE_PARTITIONS", default: "1", "Into how many partitions each service but attest-gateway is split",
        expectation: "1, 2, 4, 8, 16, 32 or 64"
    ) { Int($0).flatMap(PartitionCount.init(rawValue:)) }

    static let all: [any OptionDescription] = [partitions, retryDelays]
    static let details =
        "Without --partitions, TOLLGATE_PARTITIONS says it for every service but attest-gateway, which has one."

    static func layout(from arguments: Arguments, in surroundings: Surroundings) throws -> Topology.Layout {
        let common = try Settings(environment: surroundings.environment).value(of: allPartitions)
        var counts: [ServiceName: PartitionCount] = [:]
        for service in ServiceName.all where service != .attestGateway { counts[service] = common }
        for said in try arguments.all(partitions) { counts[said.service] = said.count }
        return Topology.Layout(partitions: counts, retryDelays: try arguments.value(of: retryDelays))
    }
}
