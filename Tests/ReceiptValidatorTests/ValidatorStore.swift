import Apps
import Crypto
import Foundation
import JSON
import Lane
import Messages
import Messaging
import SQLite
import ServiceKit
import StoreArtifacts
import StoreSimulator
import TestSupport

@testable import ReceiptValidator

/// A partition without lane and broker, for an organisation with a test app and an app of the stores.
final class ValidatorStore: Sendable {
    static let organisation = OrganisationID(rawValue: "demo")
    static let testApp = AppID(rawValue: "com.example.tunes.test")
    static let app = AppID(rawValue: "com.example.tunes")
    static let noon = Timestamp(clamping: 1_772_366_400_000)

    private let folder = TemporaryFolder()
    let authority: TestAuthority
    let database: Database
    let directory = AppDirectory()
    let chains = ChainCache()
    let recent = RecentJudgements()
    let metrics = MetricsRegistry()
    /// How often an artifact was really looked at.
    var looks: Int { VerdictMeasures(in: metrics).looked.value }

    init() async throws {
        authority = try TestAuthority.make()
        database = try await Database.create(
            at: folder.url.appendingPathComponent("store.sqlite").path, as: StoreIdentity(service: "receipt-validator"),
            schema: [.lane, ReceiptValidatorService.schema], createdAt: Date(timeIntervalSince1970: 0))
    }

    /// A store that knows both apps.
    static func connected() async throws -> ValidatorStore {
        let store = try await ValidatorStore()
        try await store.connect(testApp, testRoots: [store.rootText])
        try await store.connect(app)
        return store
    }

    var rootText: String { Base64.standard.encode(authority.root.der) }

    var judge: ArtifactJudge {
        ArtifactJudge(
            directory: directory, chains: chains, recent: recent,
            looked: { [metrics] in VerdictMeasures(in: metrics).looked.add() })
    }

    func connect(
        _ app: AppID, testRoots: [String] = [], purchaseKeys: [String]? = nil, teamID: TeamID? = nil, version: Int = 1
    ) async throws {
        let record = AppRecord(
            organisation: Self.organisation, app: app, testRoots: testRoots, purchaseKeys: purchaseKeys,
            teamID: teamID, version: version, changedAt: Self.noon)
        try await apply(AppChanged(record: record), with: ProjectApp(showing: directory.put))
    }

    /// A month of `pro` from noon on, as the store signs it then.
    func purchase(bundleID: AppID = testApp, token: String? = nil) -> TransactionPayload {
        var store = SimulatedStore(bundleID: bundleID.rawValue)
        return store.buy(.subscription("pro.monthly"), at: Self.noon.date, appAccountToken: token).latest
    }

    /// What came of an artifact.
    struct Outcome {
        var refusal: Refusal?
        var published: [Envelope]

        func all<Body: Message>(_ type: Body.Type) throws -> [Body] {
            try published.filter { $0.kind == type.kind }.map { try MessageJSON.decode(type, from: $0.body) }
        }
    }

    @discardableResult
    func submit(
        _ text: String, for app: AppID = testApp, claim: TransactionClaim? = nil, digest: ArtifactDigest? = nil,
        kind: Artifact.Kind = .transaction, id: String = "1", from author: BrokerUser = BrokerUser(of: .attestGateway),
        acceptedAt: Timestamp? = nil, at now: Timestamp = noon
    ) async throws -> Outcome {
        let message = ArtifactSubmit(
            organisation: Self.organisation, app: app, artifact: Artifact(kind: kind, text: text),
            digest: digest ?? ArtifactDigest(of: text), claim: claim)
        return try await apply(
            message, with: JudgeArtifact(judge: judge, measures: VerdictMeasures(in: metrics)), id: id, from: author,
            acceptedAt: acceptedAt, at: now)
    }

    /// Asks for the verdict.
    func verify(
        _ text: String, for app: AppID = testApp, kind: Artifact.Kind = .auto, id: String = "verify",
        at now: Timestamp = noon
    ) async throws -> (report: JSONValue?, outcome: Outcome) {
        let message = ArtifactVerify(
            organisation: Self.organisation, app: app, artifact: Artifact(kind: kind, text: text),
            digest: ArtifactDigest(of: text))
        let (verdict, outcome) = try await run(
            message, with: AnswerVerdict(judge: judge, measures: VerdictMeasures(in: metrics)), id: id,
            from: BrokerUser(of: .attestGateway), at: now)
        guard case .applied(let value) = verdict else { return (nil, outcome) }
        return (value.report, outcome)
    }

    /// Has an artifact judged anew.
    func reverify(
        _ text: String, for app: AppID = testApp, kind: Artifact.Kind = .transaction, id: String = "reverify",
        at now: Timestamp = noon
    ) async throws -> (kept: KeptArtifact?, outcome: Outcome) {
        let message = ArtifactReverify(
            organisation: Self.organisation, app: app, digest: ArtifactDigest(of: text), artifactKind: kind)
        let (verdict, outcome) = try await run(
            message, with: ReverifyArtifact(judge: judge, measures: VerdictMeasures(in: metrics)), id: id,
            from: .operatorTool, at: now)
        guard case .applied(let kept) = verdict else { return (nil, outcome) }
        return (kept, outcome)
    }

    /// A page of what is kept.
    func page(
        after: String? = nil, onlyTurning: Bool = false, pageSize: Int = 200,
        asking change: (inout ArtifactsPage) -> Void = { _ in }
    ) async throws -> ArtifactsPage.Value? {
        var query = ArtifactsPage(partition: 0, after: after, onlyTurning: onlyTurning)
        change(&query)
        let verdict = try await database.read { [judge, query] snapshot in
            try PageArtifacts(judge: judge, pageSize: pageSize, now: { Self.noon }).answer(query, in: snapshot)
        }
        guard case .applied(let value) = verdict else { return nil }
        return value
    }

    /// Prepares, applies and commits, as the lane does.
    @discardableResult
    private func apply<Handler: MessageHandler>(
        _ message: Handler.Body, with handler: Handler, id: String = "1",
        from author: BrokerUser = BrokerUser(of: .attestGateway), acceptedAt: Timestamp? = nil,
        at now: Timestamp = noon
    ) async throws -> Outcome {
        try await run(message, with: handler, id: id, from: author, acceptedAt: acceptedAt, at: now).outcome
    }

    private func run<Handler: MessageHandler>(
        _ message: Handler.Body, with handler: Handler, id: String, from author: BrokerUser,
        acceptedAt: Timestamp? = nil, at now: Timestamp
    ) async throws -> (verdict: Lane.Verdict<Handler.Value>, outcome: Outcome) {
        let context = MessageContext(
            id: MessageID(rawValue: id), kind: Handler.Body.kind, bucket: message.bucket,
            acceptedAt: acceptedAt ?? now, now: now,
            author: author)
        let prepared = try handler.prepare(message, context)
        let result = try await database.write { transaction in
            var outgoing = Outgoing(cause: context.id, bucket: context.bucket, acceptedAt: context.acceptedAt)
            let verdict = try handler.apply(prepared, context, in: transaction, outgoing: &outgoing)
            var outcome = Outcome(refusal: nil, published: outgoing.publications.map(\.envelope))
            if case .refused(let refusal) = verdict { outcome.refusal = refusal }
            return (verdict, outcome)
        }
        handler.committed(prepared)
        return result
    }
}

extension TransactionClaim {
    static func by(_ user: String, trust: Trust = .attested) -> TransactionClaim {
        TransactionClaim(
            user: AppUserID(rawValue: user), originalTransactionID: OriginalTransactionID(rawValue: "raw"),
            product: ProductID(rawValue: "raw"), trust: trust)
    }
}
