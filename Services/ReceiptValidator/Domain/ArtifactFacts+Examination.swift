internal import FoundationEssentials
internal import Messages
internal import StoreArtifacts

extension ArtifactFacts {
    /// What a verified artifact tells; nil if it does not name what it is about.
    init?(_ artifact: VerifiedArtifact, of examination: Examination) {
        let environment = StoreEnvironment(examination)
        switch artifact {
        case .transaction(let payload):
            guard let transaction = StoreTransaction(payload, in: environment) else { return nil }
            self.init(transactions: [transaction])
        case .renewal(let payload):
            guard let renewal = StoreRenewal(payload, in: environment) else { return nil }
            self.init(renewals: [renewal])
        case .notification(let notification): self.init(notification, in: environment)
        case .receipt(let signed): self.init(signed.receipt, in: environment)
        case .purchase(let purchase): self.init(purchase)
        // Proofs about an app and its device: nothing of money is told.
        case .appTransaction, .attestation, .assertion, .attestationReceipt: self.init()
        }
    }
}

extension StoreEnvironment {
    /// Where a verified artifact comes from. What it does not tell, or tells in a word that this release does not know, is
    /// unknown and grants nowhere; and whoever has Xcode can write any word.
    init(_ examination: Examination) {
        self = examination.trust == .xcode ? .xcode : StoreEnvironment(examination.environment)
    }

    init(_ environment: ArtifactEnvironment?) {
        switch environment {
        case .production?: self = .production
        case .sandbox?: self = .sandbox
        case .xcode?: self = .xcode
        default: self = .unknown
        }
    }
}
