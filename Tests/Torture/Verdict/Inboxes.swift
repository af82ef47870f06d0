import AttestGateway
import EntitlementResolver
import EventIngest
import Foundation
import Lane
import Messages
import PaywallExperiments
import ReceiptValidator
import SQLite
import TestSupport

/// What the stores say of what was applied. The services have ended.
struct Inboxes {
    /// How often something was applied that had been applied before: what their tallies say beyond the ids that their
    /// inboxes keep.
    ///
    /// Requests are left out, which are tallied under names of their own: they are in no inbox, so that one that was asked
    /// again cannot be told from one that was applied twice. They are artifact.verify, attestation.submit,
    /// assertion.submit, event-name.claim, paywall.resolve and links.resend; what they come to is compared like everything
    /// else.
    private(set) var second = 0
    /// What has been applied.
    private(set) var kinds: Set<MessageKind> = []

    private static let schemas: [(ServiceName, MigrationSequence)] = [
        (.attestGateway, AttestGatewayService.schema), (.receiptValidator, ReceiptValidatorService.schema),
        (.entitlementResolver, EntitlementResolverService.schema),
        (.paywallExperiments, PaywallExperimentsService.schema), (.eventIngest, EventIngestService.schema),
    ]

    /// - Parameter folder: where the stores of a service are.
    init(of installation: Installation, in folder: (ServiceName) async -> String) async throws {
        for (service, schema) in Self.schemas {
            let count = installation.count(of: service)
            guard let partitions = PartitionCount(rawValue: count) else { continue }
            for number in 0..<count {
                let address = PartitionAddress(service: service, number: number, count: partitions)
                let database = try await Database.open(
                    at: address.storePath(in: await folder(service)), as: address.identity, schema: [.lane, schema])
                let (applied, ids, kinds) = try await database.read { store in
                    (
                        try store.first(
                            "SELECT coalesce(sum(count), 0) FROM tallies WHERE ending IN ('applied', 'refused')"
                        ) { try $0.int(0) } ?? 0,
                        try store.first("SELECT count(*) FROM inbox") { try $0.int(0) } ?? 0,
                        try store.all("SELECT DISTINCT kind FROM inbox") { try $0.text(0) }
                    )
                }
                // What one has too many must not make up for what another has too few.
                second += abs(applied - ids)
                self.kinds.formUnion(kinds.map(MessageKind.init(rawValue:)))
                await database.close()
            }
        }
    }
}
