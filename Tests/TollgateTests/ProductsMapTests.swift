import Messages
import Synchronization
import TestSupport
import Testing
import Tollgate

@Suite("Saying what a product unlocks")
struct ProductsMapTests {
    private static let product = ProductID(rawValue: "pro.monthly")

    @Test("An app that was connected a moment ago is asked about again until its news has come", arguments: [0, 1, 3])
    func newsOnItsWay(refusals: Int) async throws {
        let installation = FakeInstallation()
        let mapping = ProductMapping(
            organisation: OrganisationID(rawValue: "acme"), app: AppID(rawValue: "com.example.tunes"),
            product: Self.product, entitlements: [EntitlementID(rawValue: "pro")], version: 1, changedAt: .now)
        let asked = Mutex(0)
        let ending = try await installation.answering(.entitlementResolver) {
            kind, _ -> (any Encodable & Sendable)? in
            guard kind == MappingSet.kind else { return nil }
            let earlier = asked.withLock { count in
                defer { count += 1 }
                return count
            }
            return earlier < refusals ? Answer<ProductMapping>.refused(.appUnknown) : .applied(mapping)
        } while: {
            await installation.tool("products", "map", "--app", "com.example.tunes", "pro.monthly", "pro")
        }

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(asked.withLock { $0 } == refusals + 1)
    }

    @Test("An app that nobody connects is said to be unknown")
    func refused() async throws {
        let installation = FakeInstallation()
        let ending = try await installation.answering(.entitlementResolver) {
            kind, _ -> (any Encodable & Sendable)? in
            kind == MappingSet.kind ? Answer<ProductMapping>.refused(.appUnknown) : nil
        } while: {
            await installation.tool("products", "map", "--app", "com.example.tuna", "pro.monthly", "pro")
        }

        #expect(ending.status == .failed && ending.complaint.contains("(app_unknown)\n  tollgate apps list"))
    }

    @Test("An app that the registry does not know either is asked about once: each time counts as a refusal")
    func mistyped() async throws {
        let installation = FakeInstallation()
        let ending = try await installation.answering(.entitlementResolver) {
            kind, _ -> (any Encodable & Sendable)? in
            kind == MappingSet.kind ? Answer<ProductMapping>.refused(.appUnknown) : nil
        } while: {
            try await installation.answering(.attestGateway) { kind, _ -> (any Encodable & Sendable)? in
                kind == RegistrySnapshot.kind
                    ? Answer.applied(RegistrySnapshot.Value(version: 0, apps: [], keys: [])) : nil
            } while: {
                await installation.tool("products", "map", "--app", "com.example.tuna", "pro.monthly", "pro")
            }
        }

        #expect(ending.status == .failed)
        #expect(installation.messages.filter { $0.kind == MappingSet.kind }.count == 1)
    }
}
