import Foundation
import HTTPClient
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import TestSupport

/// An app of a line's own, of which something is told before anybody knows it.
extension LinePlay {
    /// It waits in the ladder until the app is there, or is a dead letter by then.
    mutating func buyInLateApp() async throws {
        let app = lateApp
        var store = SimulatedStore(bundleID: app, environment: .production, seed: storeSeed + 1)
        let bought = store.buy(Installation.product, at: nextDate()).latest
        let claim = TransactionClaim(
            user: AppUserID(rawValue: user(.anna)),
            originalTransactionID: OriginalTransactionID(rawValue: bought.originalTransactionID ?? ""),
            trust: .unverified)
        let jws = try stage.installation.authority.signTransaction(bought)
        let record = submission(jws, .transaction, of: AppID(rawValue: app), claimedBy: claim)
        let events = EventsRecord(
            organisation: Stage.organisation, app: AppID(rawValue: app), user: AppUserID(rawValue: user(.anna)),
            events: [SignpostEvent(name: EventName(rawValue: "too_early"), id: "\(user(.anna))-early")],
            trust: .unverified)
        try await push([publication(record, as: "early"), publication(events, as: "early-events")])
        // Long enough to have failed a few times, or, in the rough, to have been given up.
        try await Task.sleep(for: .milliseconds(stage.isRough ? Int.random(in: 0...4000, using: &dice) : 400))
        let root = stage.installation.folder.appendingPathComponent("root.pem").path
        try await stage.tool(["apps", "add", "--app", app, "--test-root", root])
        try await awaitView(of: .anna, in: app) { Self.has(bought.originalTransactionID ?? "", in: $0) }
    }

    mutating func mapInLateApp() async throws {
        try await stage.tool(["products", "map", "--app", lateApp, Installation.product.id, Installation.entitlement])
        try await awaitView(of: .anna, in: lateApp) { view in
            guard case .array(let unlocked)? = view["entitlements"] else { return false }
            return !unlocked.isEmpty
        }
    }

    /// What comes without a proof may claim no name from now on, and the name that was claimed before is nobody's.
    mutating func ruleNames() async throws {
        let path = "/api/v1/apps/\(lateApp)/signposts?user=\(user(.anna))"
        let stage = stage
        try await stage.insist("the early event in \(lateApp)") {
            let answer = try? await stage.installation.get(path)
            return answer?.text.contains("too_early") == true ? nil : answer?.text ?? "no answer"
        }
        let app = ["--app", lateApp, "--by", "torture", "--yes"]
        try await stage.tool(["signposts", "claims", "attested"] + app)
        let events = EventsRecord(
            organisation: Stage.organisation, app: AppID(rawValue: lateApp),
            user: AppUserID(rawValue: user(.anna)),
            events: [SignpostEvent(name: EventName(rawValue: "too_late"), id: "\(user(.anna))-late")],
            trust: .unverified)
        try await push([publication(events, as: "late-events")])
        try await stage.tool(["signposts", "release", "too_early"] + app, done: "is no name of")
    }

    /// A purchase that the app's key has signed; then the app has another key, an operator has everything judged anew, and
    /// what was bought is taken back.
    mutating func turnVerdicts() async throws {
        try await stage.tool(["apps", "add", "--app", lateApp, "--purchase-key", stage.purchaseKey])
        let token = "token-\(line.number)"
        let design = SignedPurchaseDesign(
            packageName: lateApp, productID: Installation.product.id, purchaseToken: token,
            orderID: "GPA.\(line.number)", purchasedAt: nextDate())
        let signed = try JSONEncoder().encode(stage.installation.authority.signPurchase(design))
        let claim = TransactionClaim(
            user: AppUserID(rawValue: user(.anna)), originalTransactionID: OriginalTransactionID(rawValue: token),
            trust: .unverified)
        let record = submission(
            String(decoding: signed, as: UTF8.self), .purchase, of: AppID(rawValue: lateApp), claimedBy: claim)
        try await push([publication(record, as: "signed-purchase")])
        try await turn(token, to: true)
        try await stage.tool(["apps", "add", "--app", lateApp, "--purchase-key", stage.strangersKey])
        try await turn(token, to: false)
    }

    /// An operator has everything judged anew until it is so: the validator hears of a key in its own time, and what was
    /// judged before does not turn.
    private func turn(_ token: String, to isGood: Bool) async throws {
        let (stage, app) = (stage, lateApp)
        let path = "/api/v1/apps/\(app)/users/\(user(.anna))"
        try await stage.insist("\(token) should be \(isGood ? "taken" : "taken back")") {
            let answer = try? await stage.installation.get(path)
            guard let answer, answer.status == 200,
                let view = try? JSONDecoder().decode(JSONValue.self, from: Data(answer.body))
            else { return "no answer" }
            if Self.has(token, in: view) == isGood { return nil }
            let turned = try? await stage.installation.tool(["artifacts", "reverify", "--app", app, "--yes"])
            return "\(turned?.output ?? "")\(turned?.errors ?? "")"
        }
    }

    /// Whether something signed is known of a purchase; whose it would be is known all the same.
    private static func has(_ original: String, in view: JSONValue) -> Bool {
        guard case .array(let held)? = view["transactions"] else { return false }
        return held.contains { $0["originalTransactionId"]?.string == original && $0["transactionId"] != nil }
    }
}
