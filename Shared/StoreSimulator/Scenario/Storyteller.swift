internal import FoundationEssentials
internal import JSON
internal import StoreArtifacts

/// Lets things happen at a simulated store, one after the other, and writes down what is signed and what is true.
///
/// What is true follows from the deeds, not from what is signed about them: so one can be tested by the other.
struct Storyteller {
    let setting: ScenarioSetting
    /// The moment of the story.
    var now: Date
    var lines: [PurchaseLine] = []
    var coins: [Story.CoinDeal] = []
    var store: SimulatedStore
    var seed: Seed
    private(set) var events: [StoreEvent] = []
    private(set) var chapters: [Story.Chapter] = []

    init(_ scenario: String, seed: UInt64, from start: Date, in setting: ScenarioSetting) {
        self.setting = setting
        // Stores sell at whole seconds.
        self.now = Date(timeIntervalSince1970: start.timeIntervalSince1970.rounded(.down))
        self.seed = Seed(scenario, seed)
        self.store = SimulatedStore(
            bundleID: setting.bundleID, environment: setting.environment, seed: self.seed.storeSeed)
    }

    var products: ScenarioSetting.Products { setting.products }

    /// Time passes.
    mutating func wait(_ duration: Duration) { now += duration.timeInterval }

    /// Time passes until the end of the running period, or until a little before.
    mutating func waitForEnd(of line: Int = 0, before: Duration = .zero) {
        now = (lines[line].purchase.latest.expiresDate ?? now) - before.timeInterval
    }

    /// The store signs something within ten seconds.
    mutating func record(_ name: String, _ documents: (Date) -> [StoreDocument]) {
        // In milliseconds; one after the other, however soon the next thing happens.
        let delay = now.milliseconds + 200 + Int64(seed.number(below: 9_800))
        let milliseconds = max(delay, (chapters.last?.knownFrom.milliseconds ?? 0) + 1)
        let signedAt = Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
        events.append(StoreEvent(name: name, at: now, signedAt: signedAt, documents: documents(signedAt)))
        chapters.append(Story.Chapter(knownFrom: signedAt, lines: lines, coins: coins))
    }

    /// The store signs a transaction of a purchase, what becomes of it, and a notification with both.
    ///
    /// - Parameters:
    ///   - index: Which transaction, the newest unless given.
    ///   - others: Transactions that are signed beside it.
    ///   - status: Apple's number for how a subscription is: 1 active, 2 expired, 3 billing retry, 4 grace period,
    ///     5 revoked.
    mutating func tell(
        _ name: String, _ type: String, _ subtype: String? = nil, of line: Int, transaction index: Int? = nil,
        beside others: [Int] = [], status: Int64? = nil, members more: [String: JSONValue] = [:]
    ) {
        let purchase = lines[line].purchase
        let uuid = seed.uuid()
        var members = appMembers.merging(more) { $1 }
        if purchase.renewal != nil, let status { members["status"] = .integer(status) }
        record(name) { date in
            func signed(_ index: Int) -> TransactionPayload {
                var transaction = purchase.transactions[index]
                transaction.signedDate = date
                return transaction
            }
            let transaction = signed(index ?? purchase.transactions.count - 1)
            var renewal = purchase.renewal
            renewal?.signedDate = date
            var notification = NotificationDesign(type, subtype, uuid: uuid, signedDate: date, members: members)
            notification.transaction = transaction
            notification.renewal = renewal
            return others.map { .transaction(signed($0)) } + [.transaction(transaction)]
                + (renewal.map { [.renewal($0)] } ?? []) + [.notification(notification)]
        }
    }

    /// What every notification says of the app.
    var appMembers: [String: JSONValue] {
        [
            "appAppleId": .integer(setting.appAppleID), "bundleId": .string(setting.bundleID),
            "bundleVersion": .string("1"), "environment": .string(setting.environment.rawValue),
        ]
    }

    /// The buyer's app refreshes its receipt.
    mutating func refreshReceipt() {
        let rows = lines.filter { $0.customer == PurchaseLine.buyer }.flatMap { line in
            line.purchase.transactions.map { transaction in
                var row = ReceiptPurchase(transaction)
                // Receipts do not tell a switch from a refund.
                row.cancellationDate = row.cancellationDate ?? line.switchedAt[row.transactionID]
                return row
            }
        }
        var receipt = ReceiptDesign(bundleID: setting.bundleID, createdAt: now)
        receipt.purchases = rows
        receipt.opaqueValue = Array(seed.bytes().prefix(16))
        if setting.environment == .production {
            receipt.environment = "Production"
            receipt.appStoreID = setting.appAppleID
            receipt.downloadID = 502_000_000_000_001
            receipt.installerVersionID = 860_000_001
            receipt.originalPurchaseDate = events.first?.at
        }
        record("receipt") { _ in [.receipt(receipt)] }
    }
}

extension PurchaseLine {
    /// Who buys.
    static let buyer = "buyer"
    /// Somebody in his family.
    static let member = "member"
}
