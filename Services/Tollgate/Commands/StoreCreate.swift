internal import FoundationEssentials
internal import Glibc
internal import Lane
internal import Messages
internal import SQLite
internal import ServiceKit

/// `tollgate store create`
struct StoreCreate: ToolCommand {
    static let partitions = Option<PartitionCount>(
        "--partitions", "N", "Into how many partitions the service is split",
        expectation: "1, 2, 4, 8, 16, 32 or 64", variable: "TOLLGATE_PARTITIONS", default: "1"
    ) { Int($0).flatMap(PartitionCount.init(rawValue:)) }
    static let folder = Option.text(
        "--store", "DIR", "The folder of the service's stores; made if need be", variable: "TOLLGATE_STORE",
        isRequired: true)
    static let own = Option<OwnedPartitions>(
        "--own", "LIST", "Which partitions' stores to make", expectation: "all, or numbers and ranges such as 0-3,7",
        variable: "TOLLGATE_OWN", default: "all", parse: OwnedPartitions.init(settingText:))

    static let layout = CommandLayout(
        "store create", "Makes the empty stores of a service, one file for each partition",
        details:
            "A service that finds no store refuses to start: a host with an empty disk must not begin with amnesia. "
            + "Stores that are there are never touched. Needs no broker.",
        operands: [Operand("SERVICE", ServiceName.all.map(\.rawValue).joined(separator: ", "))],
        options: [partitions, folder, own],
        example: "tollgate store create receipt-validator --store /var/lib/tollgate/receipt-validator --partitions 4")

    private struct Created: Encodable {
        let service: ServiceName
        let partitions: Int
        let stores: [String]
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        guard let service = ServiceName.all.first(where: { $0.rawValue == arguments.operand(0) }) else {
            throw arguments.wrong("there is no service \(arguments.operand(0))")
        }
        let count = try arguments.value(of: partitions)
        let numbers: [Int]
        switch try arguments.value(of: own) {
        case .all: numbers = Array(0..<count.rawValue)
        case .some(let some): numbers = some
        }
        guard let last = numbers.last, last < count.rawValue else {
            throw arguments.wrong("partition \(numbers.last ?? 0) of \(count.rawValue): expected numbers below it")
        }
        let folder = try arguments.value(of: folder)
        let addresses = numbers.map { PartitionAddress(service: service, number: $0, count: count) }
        let paths = addresses.map { $0.storePath(in: folder) }
        try makeFolder(folder)
        // All or none: half of a service's stores would be a puzzle for whoever tries again.
        if let existing = paths.first(where: { access($0, F_OK) == 0 }) {
            throw StoreRefusal.storeExists(path: existing)
        }
        for (address, path) in zip(addresses, paths) {
            let database = try await Database.create(
                at: path, as: address.identity, schema: [.lane], createdAt: Date.now)
            await database.close()
        }
        return try Output(
            paths.map { "made \($0)" }.joined(separator: "\n"),
            json: Created(service: service, partitions: count.rawValue, stores: paths))
    }

    /// With its parents; for its owner alone.
    private static func makeFolder(_ path: String) throws(ToolFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw ToolFailure(
                .failed, "cannot make the folder \(path)", advice: "--store names it; its parent has to be writable")
        }
    }
}
