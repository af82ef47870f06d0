import Messages
import TestSupport
import Testing
import Tollgate

@Suite("What products unlock, as the operator sees it")
struct ProductsListTests {
    private func run(app: String) async throws -> Tool.Ending {
        let installation = FakeInstallation()
        let tunes = AppRecord(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"), version: 1,
            changedAt: .now)
        let snapshot = RegistrySnapshot.Value(version: 1, apps: [tunes], keys: [])
        return try await installation.answering(.entitlementResolver) { kind, _ -> (any Encodable & Sendable)? in
            kind == MappingList.kind ? Answer.applied(MappingList.Value()) : nil
        } while: {
            try await installation.answering(.attestGateway) { kind, _ -> (any Encodable & Sendable)? in
                kind == RegistrySnapshot.kind ? Answer.applied(snapshot) : nil
            } while: {
                await installation.tool("products", "list", "--app", app)
            }
        }
    }

    @Test("An app that maps no products is not taken for one that is not there")
    func nothingMapped() async throws {
        let mapsNone = try await run(app: "com.example.tunes")
        let mistyped = try await run(app: "com.example.tuna")

        #expect(mapsNone.status == .success && mapsNone.output == "com.example.tunes maps no products")
        #expect(mistyped.status == .failed && mistyped.output.isEmpty)
        #expect(mistyped.complaint.contains("acme has no app com.example.tuna"))
    }
}
