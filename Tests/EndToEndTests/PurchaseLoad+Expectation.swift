import Testing
import TestSupport

extension PurchaseLoad {
    /// Every purchase has become an entitlement of its user, once; and nothing is lost.
    func expectApplied(in installation: Installation, within limit: Duration = .seconds(60)) async throws {
        let deadline = ContinuousClock.now + limit
        var missing = purchases
        while !missing.isEmpty, ContinuousClock.now < deadline {
            missing = await withTaskGroup(of: Purchase?.self) { group in
                var rest: [Purchase] = []
                for (index, purchase) in missing.enumerated() {
                    if index >= 32, let purchase = await group.next() ?? nil { rest.append(purchase) }
                    group.addTask {
                        let entitlement = try? await installation.entitlement(of: purchase.user)
                        return entitlement?.active == true && entitlement?.transactionId == purchase.original
                            ? nil : purchase
                    }
                }
                for await purchase in group { if let purchase { rest.append(purchase) } }
                return rest
            }
        }
        #expect(missing.map(\.user) == [], "accepted, and no entitlement")
        let reconciled = try await installation.tool(["reconcile", "--wait", "60"])
        #expect(reconciled.status == 0, "\(reconciled.output)\(reconciled.errors)")
    }
}
