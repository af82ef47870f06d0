internal import Crypto
internal import FoundationEssentials
internal import StoreArtifacts

/// The list of a story's files.
struct StoryIndex: Encodable {
    /// One file; what does not apply is left out.
    struct File: Encodable {
        let file: String
        let kind: String
        let event: String
        /// When it happened.
        let at: Date
        /// When the store signed it: before that it is not to be known.
        let signedAt: Date
        var transactionId: String?
        var originalTransactionId: String?
        var productId: String?
        var notificationType: String?
        var subtype: String?
        var notificationUUID: String?
        var purchaseToken: String?
        var keyId: String?
        var counter: Int?
    }

    let madeBy = StoryFolder.maker
    let scenario: String
    let summary: String
    let seed: UInt64
    let start: Date?
    let end: Date
    let bundleId: String
    let appId: String
    let appAppleId: Int64
    let environment: String
    let appAccountToken: String?
    let root = StoryFolder.root
    let expected = StoryFolder.expected
    let purchaseKey: String?
    let files: [File]

    init(_ story: Story, files: [File], purchaseKey: String?) {
        scenario = story.scenario
        summary = Scenario.named(story.scenario)?.summary ?? ""
        seed = story.seed
        start = story.events.first?.at
        end = story.end
        bundleId = story.setting.bundleID
        appId = story.setting.appID
        appAppleId = story.setting.appAppleID
        environment = story.setting.environment.rawValue
        appAccountToken = story.setting.appAccountToken
        self.purchaseKey = purchaseKey
        self.files = files
    }
}

extension StoryIndex.File {
    init(_ name: String, _ document: StoreDocument, of event: StoreEvent) {
        self.init(
            file: name, kind: document.kind.rawValue, event: event.name, at: event.at, signedAt: event.signedAt)
        switch document {
        case .transaction(let payload): tell(payload)
        case .renewal(let payload):
            originalTransactionId = payload.originalTransactionID
            productId = payload.productID
        case .notification(let design):
            notificationType = design.type
            subtype = design.subtype
            notificationUUID = design.uuid
            design.transaction.map { tell($0) }
        case .purchase(let design):
            productId = design.productID
            purchaseToken = design.purchaseToken
        case .attestation(let device, _, _): tell(device, counter: device.counter)
        case .assertion(let device, _): tell(device, counter: device.counter + 1)
        case .receipt, .appTransaction: break
        }
    }

    /// - Parameter counter: That of what is signed, not of the device before.
    private mutating func tell(_ device: SeededDevice, counter: UInt32) {
        self.counter = Int(counter)
        keyId = (try? device.device()).map { Base64.standard.encode($0.keyID) }
    }

    private mutating func tell(_ payload: TransactionPayload) {
        transactionId = payload.transactionID
        originalTransactionId = payload.originalTransactionID
        productId = payload.productID
    }
}

/// What has to come out of a story.
struct StoryTruth: Encodable {
    /// What is true at a moment, as far as had been signed by then.
    struct Moment: Encodable {
        let at: Date
        let holdings: [Holding]
        let consumables: [String: Int]

        init(_ story: Story, at date: Date) {
            at = date
            holdings = story.holdings(at: date)
            consumables = story.consumables(at: date)
        }
    }

    let scenario: String
    let seed: UInt64
    /// With everything known.
    let end: Moment
    let periods: [HeldPeriod]
    let moments: [Moment]

    init(_ story: Story) {
        scenario = story.scenario
        seed = story.seed
        end = Moment(story, at: story.end)
        periods = story.periods
        moments = story.moments.map { Moment(story, at: $0) }
    }
}
