import EntitlementResolver
import Lane
import Messages
import ReceiptValidator
import SQLite
import TestSupport

/// How often something was applied that had been applied before: of each store, what its tallies say beyond the ids that
/// its inbox keeps. The services have ended. The other two take requests as well, which are in no inbox.
enum Applications {
    static func second(_ theatre: Theatre) async throws -> Int {
        var second = 0
        let schemas: [(ServiceName, MigrationSequence)] = [
            (.entitlementResolver, EntitlementResolverService.schema),
            (.receiptValidator, ReceiptValidatorService.schema),
        ]
        for (service, schema) in schemas {
            let count = theatre.installation.count(of: service)
            guard let partitions = PartitionCount(rawValue: count) else { continue }
            for number in 0..<count {
                let address = PartitionAddress(service: service, number: number, count: partitions)
                let database = try await Database.open(
                    at: address.storePath(in: await theatre.storeFolder(of: service)), as: address.identity,
                    schema: [.lane, schema])
                // What one has too many must not make up for what another has too few.
                second += abs(
                    try await database.read { store in
                        let applied = try store.first(
                            "SELECT coalesce(sum(count), 0) FROM tallies WHERE ending IN ('applied', 'refused')"
                        ) { try $0.int(0) }
                        let known = try store.first("SELECT count(*) FROM inbox") { try $0.int(0) }
                        return (applied ?? 0) - (known ?? 0)
                    })
                await database.close()
            }
        }
        return second
    }
}
