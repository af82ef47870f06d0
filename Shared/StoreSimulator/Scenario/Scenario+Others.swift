internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import StoreArtifacts

extension Scenario {
    /// What does not renew, what is not about purchases, and what other stores sign.
    static let others = [
        Scenario("consumables", "Five of one, three of one, one more; one of the three is paid back") { story in
            story.buy(story.products.coins, quantity: 5)
            story.wait(.days(1))
            let three = story.buy(story.products.coins, quantity: 3)
            story.wait(.days(1))
            story.buy(story.products.coins)
            story.tell(
                "refund-asked", "CONSUMPTION_REQUEST", of: three,
                members: ["consumptionRequestReason": .string("FULFILLMENT_ISSUE")])
            story.wait(.days(1))
            story.refund(three, percentage: 33_333)
            story.refreshReceipt()
        },
        Scenario("non-renewing", "For a time that only the app knows") { story in
            story.buy(story.products.season)
            story.refreshReceipt()
        },
        Scenario("lifetime-and-subscription", "Bought for ever beside a subscription, which is then given up") {
            story in
            story.subscribe()
            story.wait(.days(8))
            story.buy(story.products.lifetime)
            story.setAutoRenew(false)
            story.waitForEnd()
            story.lapse()
            story.refreshReceipt()
        },
        Scenario("lifetime-refunded", "Bought for ever, and paid back a week later") { story in
            story.buy(story.products.lifetime)
            story.wait(.days(7))
            story.refund()
            story.refreshReceipt()
        },
        Scenario(
            "other-notifications", "A notification of each shape that is about no purchase, and of an unknown type"
        ) {
            $0.sendOtherNotifications()
        },
        Scenario("app-attest", "A device attests its key, and signs three requests") { story in
            var device = SeededDevice(appID: story.setting.appID, seed: story.seed.bytes())
            let challenge = Base64.url.encode(story.seed.bytes())
            story.record("attested") { [.attestation(device, challenge: challenge, at: $0)] }
            for number in 1...3 {
                story.wait(.seconds(3_600))
                story.record("signed") { [device] _ in [.assertion(device, clientData: "request \(number)")] }
                device.counter += 1
            }
        },
        Scenario("appcoins-purchases", "Two purchases of AppCoins, one of them cancelled by the store") { story in
            for state in [0, 1] as [Int64] {
                let token = "catappult.inapp.purchase.\(story.seed.letters(16))"
                var purchase = SignedPurchaseDesign(
                    packageName: story.setting.bundleID, productID: story.products.coins.id, purchaseToken: token,
                    orderID: story.seed.letters(16), purchasedAt: story.now)
                purchase.state = state
                purchase.developerPayload = "order \"\(state)\" / é"
                story.record(state == 0 ? "bought" : "cancelled") { [purchase] _ in [.purchase(purchase)] }
                story.wait(.days(1))
            }
        },
        Scenario("google-purchases", "A purchase and a subscription of Google Play") { story in
            for product in [story.products.coins, story.products.monthly] {
                let number = String(story.seed.number(below: 9_000_000_000_000_000) + 1_000_000_000_000_000)
                var purchase = SignedPurchaseDesign(
                    packageName: story.setting.bundleID, productID: product.id,
                    purchaseToken: "\(story.seed.letters(24).lowercased()).AO-\(story.seed.letters(32))",
                    orderID: "GPA.\(number.prefix(4))-\(number.dropFirst(4).prefix(4))-\(number.suffix(5))",
                    purchasedAt: story.now)
                purchase.developerPayload = nil
                if product.period != nil {
                    purchase.orderID = nil
                    purchase.autoRenewing = true
                }
                story.record(product.period == nil ? "bought" : "subscribed") { [purchase] _ in [.purchase(purchase)] }
                story.wait(.days(1))
            }
        },
    ]
}

extension Storyteller {
    /// A customer gets the app.
    mutating func download() {
        let payload = appTransaction()
        record("downloaded") { date in
            var payload = payload
            payload.signedDate = date
            return [.appTransaction(payload)]
        }
    }

    private func appTransaction() -> AppTransactionPayload {
        var payload = AppTransactionPayload(signedDate: now)
        payload.environment = setting.environment
        payload.appAppleID = setting.environment == .production ? setting.appAppleID : 0
        payload.bundleID = setting.bundleID
        payload.applicationVersion = "1"
        payload.originalApplicationVersion = "1.0"
        payload.originalPurchaseDate = now
        payload.requestDate = now
        payload.appTransactionID = store.appTransactionID()
        payload.originalPlatform = "iOS"
        return payload
    }

    /// One of each shape.
    fileprivate mutating func sendOtherNotifications() {
        let app: [String: JSONValue] = [
            "appAppleId": .integer(setting.appAppleID), "bundleId": .string(setting.bundleID),
        ]
        let appAndEnvironment = app.merging(["environment": .string(setting.environment.rawValue)]) { $1 }
        let request: [String: JSONValue] = [
            "requestIdentifier": .string(seed.uuid()), "productId": .string(products.monthly.id),
        ]
        let summary = appAndEnvironment.merging(request) { $1 }.merging([
            "storefrontCountryCodes": .array([.string("DEU"), .string("FRA")]), "succeededCount": .integer(41),
            "failedCount": .integer(1),
        ]) { $1 }
        let token = app.merging([
            "externalPurchaseId": .string(
                (setting.environment == .sandbox ? "SANDBOX_" : "") + seed.uuid()),
            "tokenCreationDate": .integer(now.milliseconds),
        ]) { $1 }
        let download = appTransaction()
        send("test", "TEST", members: appMembers)
        send("extension-summary", "RENEWAL_EXTENSION", "SUMMARY", shape: .summary, members: summary)
        send("unreported", "EXTERNAL_PURCHASE_TOKEN", "UNREPORTED", shape: .externalPurchaseToken, members: token)
        send("consent-withdrawn", "RESCIND_CONSENT", shape: .appData, members: appAndEnvironment) { design in
            design.appTransaction = download
            design.appTransaction?.signedDate = design.signedDate
        }
        // What is not known yet is kept.
        send("unknown", "SOMETHING_NEW", "OF_SOME_KIND", members: appMembers) { design in
            design.extra = ["somethingElse": .object(["is": .boolean(true)])]
        }
    }

    private mutating func send(
        _ name: String, _ type: String, _ subtype: String? = nil, shape: NotificationDesign.Shape = .data,
        members: [String: JSONValue], change: (inout NotificationDesign) -> Void = { _ in }
    ) {
        let uuid = seed.uuid()
        record(name) { date in
            var design = NotificationDesign(
                type, subtype, uuid: uuid, signedDate: date, shape: shape, members: members)
            change(&design)
            return [.notification(design)]
        }
        wait(.days(1))
    }
}
