internal import JSON
internal import Messages

/// A message that can be pushed as it stands, and what its kind is for.
struct MessageExample: Sendable {
    /// Its kind.
    let kind: MessageKind
    /// What messages of the kind are for, in a sentence.
    let summary: String
    /// What it is about; empty for what is addressed to a partition.
    let key: String
    /// Of the key, or of the partition.
    let bucket: Bucket
    private let message: any Encodable & Sendable

    /// Of a kind of the catalogue.
    init<M: Message>(_ message: M, _ summary: String) {
        self.init(M.kind, message, summary, key: message.key, bucket: message.bucket)
    }

    /// Of what partitions are asked.
    init<M: PartitionMessage>(partition message: M, _ summary: String) {
        self.init(M.kind, message, summary, key: "", bucket: Bucket.all[message.partition])
    }

    init(
        _ kind: MessageKind, _ message: any Encodable & Sendable, _ summary: String, key: String = "",
        bucket: Bucket = Bucket.all[0]
    ) {
        self.kind = kind
        self.message = message
        self.summary = summary
        self.key = key
        self.bucket = bucket
    }

    /// Its body.
    func body() throws -> [UInt8] { try MessageJSON.encode(message) }

    /// Of every kind, by name.
    static let all = Dictionary(
        [registry, devices, artifacts, entitlements, paywalls, outcomes, signposts, users, partitions].joined()
            .map { ($0.kind, $0) }
    ) { first, _ in first }

    static let organisation = OrganisationID(rawValue: "demo")
    static let app = AppID(rawValue: "com.example.tunes")
    static let user = AppUserID(rawValue: "user_42")
    static let product = ProductID(rawValue: "com.example.tunes.pro.monthly")
    static let chain = OriginalTransactionID(rawValue: "2000000123456789")
    static let entitlement = EntitlementID(rawValue: "pro")
    static let install = InstallID(rawValue: "6F9619FF-8B86-D011-B42D-00CF4FC964FF")
    static let experiment = ExperimentID(rawValue: "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f")
    static let variant = VariantKey(rawValue: "b")
    /// 2026-11-30T08:15:00Z, and a month later.
    static let time = Timestamp(clamping: 1_796_026_500_000)
    static let later = Timestamp(clamping: 1_798_618_500_000)
}
