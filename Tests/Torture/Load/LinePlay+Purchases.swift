import Crypto
import Foundation
import JSON
import Messages
import StoreArtifacts
import StoreSimulator
import TestSupport

/// The purchase of a line, from the first period to its refund.
extension LinePlay {
    mutating func buy(through door: Step.Door) async throws {
        var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: storeSeed)
        purchase = store.buy(Installation.product, at: nextDate())
        try await claim(for: .anna, through: door)
    }

    /// His claim is the newest, and there is none of a higher rank.
    mutating func claim(for person: Step.Person, through door: Step.Door) async throws {
        guard let transaction = purchase?.latest else { throw TestFailure("nothing was bought") }
        try await attribute(stage.installation.authority.signTransaction(transaction), to: person, through: door)
        holder = person
        try await awaitHolding(by: person)
    }

    private mutating func attribute(_ jws: String, to person: Step.Person, through door: Step.Door) async throws {
        switch door {
        case .phone, .notification:
            let body: JSONValue = .object([
                "appUserId": .string(user(person)), "bundleId": .string(Installation.app),
                "originalTransactionId": .string(original), "jws": .string(jws),
            ])
            try await post(sdk("attribute"), body, as: "attribute")
        case .queue:
            let claim = TransactionClaim(
                user: AppUserID(rawValue: user(person)),
                originalTransactionID: OriginalTransactionID(rawValue: original), trust: .unverified)
            try await push([publication(submission(jws, .transaction, claimedBy: claim), as: "attribute")])
        }
    }

    mutating func renew(through door: Step.Door) async throws {
        let date = nextDate()
        purchase?.recover(at: date)
        guard let purchase else { return }
        switch door {
        case .phone:
            // The phone of whoever has it says so; nobody else's would.
            guard let holder else { return }
            try await attribute(
                stage.installation.authority.signTransaction(purchase.latest), to: holder, through: .phone)
        case .notification, .queue: try await tell("DID_RENEW", at: date, through: door)
        }
        if let holder { try await awaitHolding(by: holder) }
        try await tellOldPeriod()
    }

    /// An older signature of the newest period says that it has run out already.
    private mutating func tellOldPeriod() async throws {
        guard stage.isRough, hits(0.5), var older = purchase?.latest else { return }
        stage.tally.add("old signatures late")
        older.signedDate -= 60
        older.expiresDate = older.purchaseDate.map { $0 + 1 }
        let jws = try stage.installation.authority.signTransaction(older)
        try await push([publication(submission(jws, .transaction), as: "old")])
    }

    /// As when a server asks for the whole history of a purchase: each period is an artifact of its own.
    mutating func catchUp() async throws {
        let artifacts = try (0..<3).map { index in
            let date = nextDate()
            purchase?.recover(at: date)
            guard let latest = purchase?.latest else { throw TestFailure("nothing was bought") }
            let jws = try stage.installation.authority.signTransaction(latest)
            return try publication(submission(jws, .transaction), as: "period-\(index)")
        }
        try await push(artifacts)
        if let holder { try await awaitHolding(by: holder) }
    }

    mutating func sendReceipt() async throws {
        var store = SimulatedStore(bundleID: Installation.app, environment: .production, seed: receiptSeed)
        let bought = store.buy(Installation.product, at: nextDate()).latest
        var design = ReceiptDesign(bundleID: Installation.app, createdAt: nextDate())
        design.environment = "Production"
        design.purchases = [ReceiptPurchase(bought)]
        let receipt = Base64.standard.encode(try stage.installation.authority.signReceipt(design))
        let claim = TransactionClaim(
            user: AppUserID(rawValue: user(.dora)),
            originalTransactionID: OriginalTransactionID(rawValue: bought.originalTransactionID ?? ""),
            trust: .unverified)
        try await push([publication(submission(receipt, .receipt, claimedBy: claim), as: "receipt")])
        try await awaitView(of: .dora) { view in
            guard case .array(let held)? = view["transactions"] else { return false }
            return held.contains { $0["transactionId"]?.string == bought.transactionID }
        }
    }

    mutating func cancel(through door: Step.Door) async throws {
        let date = nextDate()
        _ = purchase?.setAutoRenew(false, at: date)
        try await tell("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED", at: date, through: door)
        guard let holder else { return }
        try await awaitView(of: holder) { view in
            guard case .array(let entitlements)? = view["entitlements"] else { return false }
            return entitlements.contains { $0["willRenew"] == .boolean(false) }
        }
    }

    mutating func refund(through door: Step.Door) async throws {
        let date = nextDate()
        _ = purchase?.refund(at: date)
        try await tell("REFUND", at: date, through: door)
        if let holder { try await awaitHolding(by: holder) { $0["revokedAt"] != nil } }
    }

    /// A notification of Apple's server about the newest period.
    private mutating func tell(
        _ type: String, _ subtype: String? = nil, at date: Date, through door: Step.Door
    ) async throws {
        let number = String(format: "%08d-0000-4000-8000-%012d", line.number, step)
        var design = NotificationDesign(
            type, subtype, uuid: number, signedDate: date,
            members: [
                "bundleId": .string(Installation.app), "environment": "Production", "status": 1, "bundleVersion": "1",
            ])
        design.transaction = purchase?.latest
        design.renewal = purchase?.renewal
        let text = try stage.installation.authority.signNotification(design)
        switch door {
        case .notification, .phone:
            try await post(stage.notificationPath, .object(["signedPayload": .string(text)]), as: "notification")
        case .queue: try await push([publication(submission(text, .notification), as: "notification")])
        }
    }

    mutating func claimWithoutEvidence(through door: Step.Door) async throws {
        switch door {
        case .phone, .notification:
            let body: JSONValue = .object([
                "appUserId": .string(user(.carl)), "bundleId": .string(Installation.app),
                "originalTransactionId": .string(original),
            ])
            try await post(sdk("attribute"), body, as: "hearsay")
        case .queue:
            let claim = LinkClaim(
                organisation: Stage.organisation, app: Stage.app,
                originalTransactionID: OriginalTransactionID(rawValue: original),
                user: AppUserID(rawValue: user(.carl)), rank: .unverified)
            try await push([publication(claim, as: "hearsay")])
        }
        // Whoever is named exists.
        try await awaitView(of: .carl) { $0["customer"] != nil }
    }

    /// It stays whose it is.
    mutating func unpin() async throws {
        try await stage.tool(
            ["links", "unpin", original, "--app", Installation.app, "--by", "torture", "--why", "torture", "--yes"],
            done: "no operator has pinned")
        try await awaitHolding(by: .anna)
    }

    mutating func undo() async throws {
        try await stage.tool(
            [
                "links", "undo", original, "--app", Installation.app, "--to", user(.anna), "--by", "torture", "--why",
                "torture", "--yes",
            ], done: "already, and pinned")
        holder = .anna
        try await awaitHolding(by: .anna)
    }
}
