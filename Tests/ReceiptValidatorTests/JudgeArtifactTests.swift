import Apps
import Crypto
import Foundation
import Lane
import Messages
import Messaging
import SQLite
import StoreArtifacts
import StoreSimulator
import Testing

@testable import ReceiptValidator

@Suite("Artifacts")
struct JudgeArtifactTests {
    @Test("A genuine transaction is published under its own id, and its claim with it")
    func genuine() async throws {
        let store = try await ValidatorStore.connected()
        let purchase = store.purchase()

        let outcome = try await store.submit(try store.authority.signTransaction(purchase), claim: .by("ann"))

        let verified = try #require(try outcome.all(TransactionVerified.self).first)
        #expect(outcome.refusal == nil)
        #expect(verified.isTest)
        #expect(verified.transaction.originalID.rawValue == purchase.originalTransactionID)
        #expect(verified.transaction.product.rawValue == "pro.monthly")
        #expect(verified.transaction.productType == .autoRenewable)
        #expect(verified.transaction.environment == .sandbox)
        #expect(verified.transaction.expiresAt == purchase.expiresDate.map(Timestamp.init))
        let claim = try #require(try outcome.all(LinkClaim.self).first)
        #expect(claim.originalTransactionID == verified.transaction.originalID)
        #expect(claim.rank == .verified)
        #expect(outcome.published.allSatisfy { $0.acceptedAt == ValidatorStore.noon })
    }

    @Test("The store's own word for the user outranks everything, whatever the case of its letters")
    func accountToken() async throws {
        let store = try await ValidatorStore.connected()
        let token = "5A3C0A52-6F3F-4F0E-9D2B-0E7A6D1B9C11"
        let text = try store.authority.signTransaction(store.purchase(token: token))

        for (user, rank) in [(token.lowercased(), ClaimRank.accountToken), (token, .accountToken), ("ann", .verified)] {
            let outcome = try await store.submit(text, claim: .by(user))
            #expect(try outcome.all(LinkClaim.self).map(\.rank) == [rank])
        }
    }

    @Test("The same artifact again is not published again, but each claim that comes with it is")
    func again() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())
        try await store.submit(text, claim: .by("ann"))

        let outcome = try await store.submit(text, claim: .by("ben"), id: "2")

        #expect(outcome.published.count == 1)
        #expect(try outcome.all(LinkClaim.self).map(\.user.rawValue) == ["ben"])
        #expect(try await store.verdicts() == 1)
    }

    @Test(
        "Of a refused artifact only the caller's word is left, and that is believed from an edge alone",
        arguments: [
            (Trust.attested, BrokerUser(of: .attestGateway), ClaimRank.attested),
            (.unverified, BrokerUser(of: .attestGateway), .unverified),
            (.verified, BrokerUser(of: .attestGateway), .unverified),
            (.attested, .load, .unverified),
        ])
    func refused(trust: Trust, author: BrokerUser, rank: ClaimRank) async throws {
        let store = try await ValidatorStore.connected()
        let stranger = try TestAuthority.make()

        let outcome = try await store.submit(
            try stranger.signTransaction(store.purchase()), claim: .by("ann", trust: trust), from: author)

        #expect(outcome.refusal?.reason == "untrusted_chain")
        #expect(try outcome.all(TransactionVerified.self).isEmpty)
        #expect(try outcome.all(ArtifactRefused.self).map(\.step) == ["chain"])
        let claim = try #require(try outcome.all(LinkClaim.self).first)
        #expect(claim.originalTransactionID.rawValue == "raw")
        #expect(claim.rank == rank)
    }

    @Test("A genuine transaction of another app is refused")
    func wrongApp() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase(bundleID: AppID(rawValue: "com.example.radio")))

        let outcome = try await store.submit(text, claim: .by("ann"))

        #expect(outcome.refusal?.reason == "wrong_app")
        #expect(try outcome.all(LinkClaim.self).map(\.rank) == [.attested])
    }

    @Test("A test app's root counts in that app alone")
    func otherApp() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase(bundleID: ValidatorStore.app))

        #expect(try await store.submit(text, for: ValidatorStore.app).refusal?.reason == "untrusted_chain")
    }

    @Test("What Xcode has signed is believed if its certificate is the app's test root")
    func xcode() async throws {
        let store = try await ValidatorStore.connected()
        let key = try PrivateKey.generate()
        let validity = Date(timeIntervalSince1970: 0)...Date(timeIntervalSince1970: 4_000_000_000)
        let certificate = try CertificateBuilder(commonName: "Xcode", validity: validity).selfSigned(by: key)
        let app = AppID(rawValue: "com.example.xcode")
        func sign(_ environment: AppleEnvironment) throws -> String {
            var payload = store.purchase(bundleID: app)
            payload.environment = environment
            let parts = [
                Base64.url.encode(TestAuthority.header(certificates: [certificate]).utf8),
                Base64.url.encode(try payload.json()),
            ]
            let input = parts.joined(separator: ".")
            return "\(input).\(Base64.url.encode(try key.rawSignature(over: input.utf8)))"
        }

        try await store.connect(app, testRoots: [store.rootText])
        #expect(try await store.submit(try sign(.xcode), for: app).refusal?.reason == "chain_length")
        try await store.connect(
            AppID(rawValue: "com.example.xcode"), testRoots: [Base64.standard.encode(certificate.der)], version: 2)
        let outcome = try await store.submit(try sign(.localTesting), for: app)

        #expect(outcome.refusal == nil)
        #expect(try outcome.all(TransactionVerified.self).map(\.transaction.environment) == [.xcode])
        #expect(try await store.submit(try sign(.production), for: app).refusal?.reason == "wrong_environment")
    }

    @Test(
        "Apple's words for environments in ours; what is not told, or not known, is unknown",
        arguments: [
            (AppleEnvironment.production as AppleEnvironment?, StoreEnvironment.production), (.sandbox, .sandbox),
            (.xcode, .xcode), (.localTesting, .xcode), (AppleEnvironment(rawValue: "Moon"), .unknown), (nil, .unknown),
        ])
    func environments(apple: AppleEnvironment?, ours: StoreEnvironment) async throws {
        let store = try await ValidatorStore.connected()
        var purchase = store.purchase()
        purchase.environment = apple

        let outcome = try await store.submit(try store.authority.signTransaction(purchase))

        #expect(try outcome.all(TransactionVerified.self).map(\.transaction.environment) == [ours])
    }

    @Test("A transaction that does not name itself is refused")
    func incomplete() async throws {
        let store = try await ValidatorStore.connected()
        var purchase = store.purchase()
        purchase.originalTransactionID = nil

        let outcome = try await store.submit(try store.authority.signTransaction(purchase))

        #expect(outcome.refusal?.reason == "incomplete")
    }

    @Test("A date of signing ahead of this clock waits in the ladder, and leaves nothing behind")
    func early() async throws {
        let store = try await ValidatorStore.connected()
        let text = try store.authority.signTransaction(store.purchase())

        let fault = await #expect(throws: MessageFault.self) {
            try await store.submit(text, at: ValidatorStore.noon - .seconds(3600))
        }

        #expect(fault?.duration == .forNow)
        #expect(fault?.reason == "signed_in_future")
        #expect(try await store.verdicts() == 0)
        #expect(store.chains.count == 0)
        #expect(try await store.submit(text).refusal == nil)
        #expect(store.chains.count == 1)
    }

    @Test("A wrong digest is never right, an unknown kind or app may be known later")
    func faults() async throws {
        let store = try await ValidatorStore.connected()

        let digest = await #expect(throws: MessageFault.self) {
            try await store.submit("text", digest: ArtifactDigest(rawValue: "00"))
        }
        let kind = await #expect(throws: MessageFault.self) {
            try await store.submit("text", kind: Artifact.Kind(rawValue: "coupon"))
        }
        let app = await #expect(throws: MessageFault.self) {
            try await store.submit("text", for: AppID(rawValue: "com.example.new"))
        }
        let size = await #expect(throws: MessageFault.self) {
            try await store.submit(String(repeating: "a", count: 2_097_153))
        }

        #expect(digest == .forever("digest_mismatch", digest?.text ?? ""))
        #expect(kind == .forNow("artifact_kind_unknown", kind?.text ?? ""))
        #expect(app == .forNow("app_unknown", app?.text ?? ""))
        #expect(size == .forever(.tooLarge, size?.text ?? ""))
    }

    @Test("An app that was connected in the same batch is known when it is needed")
    func sameBatch() async throws {
        let store = try await ValidatorStore()
        let record = AppRecord(
            organisation: ValidatorStore.organisation, app: ValidatorStore.testApp, testRoots: [store.rootText],
            version: 1, changedAt: ValidatorStore.noon)
        // On disk, but not yet shown to those who prepare.
        try await store.database.write { try AppStore.record(record, in: $0) }

        let outcome = try await store.submit(try store.authority.signTransaction(store.purchase()))

        #expect(outcome.refusal == nil)
    }

    @Test("An artifact is kept as it was received")
    func kept() async throws {
        let store = try await ValidatorStore.connected()

        try await store.submit(" not a JWS\n")

        let text = try await store.database.read { try $0.first("SELECT text FROM artifacts") { try $0.text(0) } }
        #expect(text == " not a JWS\n")
    }

    @Test("Roots that cannot be read judge nothing: nobody is believed for want of them")
    func unreadableRoots() async throws {
        let store = try await ValidatorStore.connected()
        let app = AppID(rawValue: "com.example.broken")
        try await store.connect(app, testRoots: ["AAAA"])
        let text = try store.authority.signTransaction(store.purchase(bundleID: app))

        await #expect(throws: CryptoError.self) { try await store.submit(text, for: app) }
    }

    @Test("The digest is SHA-256 in lower-case hexadecimal")
    func digest() {
        // RFC 6234 § 8.5 ("abc").
        #expect(
            ArtifactDigest(of: "abc").rawValue == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }
}

extension ValidatorStore {
    func verdicts() async throws -> Int {
        try await database.read { try $0.first("SELECT COUNT(*) FROM verdicts") { try $0.int(0) } ?? 0 }
    }
}
