import Messages
import TestSupport

@testable import EntitlementResolver

extension Letter {
    /// A fact as receipt-validator publishes it.
    init(
        _ fact: ScenarioFacts.Fact, for organisation: OrganisationID = .demo, id: String, at time: Timestamp
    ) throws {
        func letter(_ message: some Message) throws -> Letter {
            try Letter(message, id: id, at: time, from: .validator)
        }
        let (app, revision) = (ScenarioFacts.app, fact.revision == 0 ? nil : fact.revision)
        switch fact.told {
        case .transaction(let transaction) where fact.isRetraction:
            self = try letter(
                TransactionRetracted(
                    organisation: organisation, app: app, isTest: true, digest: fact.digest, revision: fact.revision,
                    transactionID: transaction.id, originalTransactionID: transaction.originalID,
                    environment: transaction.environment, reason: "untrusted_chain"))
        case .transaction(let transaction):
            self = try letter(
                TransactionVerified(
                    organisation: organisation, app: app, isTest: true, digest: fact.digest, transaction: transaction,
                    revision: revision))
        case .renewal(let renewal) where fact.isRetraction:
            self = try letter(
                RenewalRetracted(
                    organisation: organisation, app: app, isTest: true, digest: fact.digest, revision: fact.revision,
                    originalTransactionID: renewal.originalID, environment: renewal.environment,
                    reason: "untrusted_chain"))
        case .renewal(let renewal):
            self = try letter(
                RenewalVerified(
                    organisation: organisation, app: app, isTest: true, digest: fact.digest, renewal: renewal,
                    revision: revision))
        }
    }
}
