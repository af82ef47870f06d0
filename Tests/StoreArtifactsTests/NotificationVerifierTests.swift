import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Notifications")
struct NotificationVerifierTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let bundleID = "com.example.app"
    static let authority = Result { try TestAuthority.make() }
    let authority: TestAuthority
    let transaction: TransactionPayload
    let renewal: RenewalPayload

    init() throws {
        authority = try Self.authority.get()
        var store = SimulatedStore(bundleID: Self.bundleID)
        let purchase = store.buy(.subscription("pro"), at: Self.now)
        transaction = purchase.latest
        renewal = try #require(purchase.renewal)
    }

    // MARK: Shapes

    @Test("What a notification carries is verified and read with it")
    func complete() throws {
        let text = try sign(try notification())

        let notification = try #require(try verify(text))

        #expect(notification.payload.type == .subscribed)
        #expect(notification.payload.subtype == .initialBuy)
        #expect(notification.payload.notificationUUID == "00000000-0000-4000-8000-000000000001")
        #expect(notification.payload.subject?.status == 1)
        #expect(notification.transaction?.transactionID == transaction.transactionID)
        #expect(notification.renewal?.autoRenewStatus == 1)
        #expect(notification.fields["signedTransactionInfo"]?["productId"] == .string("pro"))
        #expect(notification.fields["signedRenewalInfo"]?["autoRenewStatus"] == .integer(1))
        #expect(notification.fields["data"]?["signedTransactionInfo"]?.string?.hasPrefix("ey") == true)
    }

    @Test("It comes bare or as Apple posts it, with escaped slashes or without")
    func bodies() throws {
        let text = try sign(try notification())

        #expect(try verify(#"{"signedPayload":"\#(text)"}"#) != nil)
        #expect(try verify(" { \"signedPayload\" : \"\(text)\", \"more\": [1] }\n") != nil)
        #expect(try refusal(#"{"signedPayload":7}"#).reason == .malformed)
        #expect(try refusal(#"{"signedPayload":null}"#).reason == .malformed)
        #expect(try refusal(#"{"signedpayload":"\#(text)"}"#).reason == .malformed)
        #expect(try refusal(#"{"signedPayload":"\#(text)","signedPayload":"\#(text)"}"#).reason == .malformed)
    }

    @Test(
        "A notification of version 1 is named",
        arguments: [
            #"{"notification_type":"DID_RENEW","unified_receipt":{"latest_receipt":"MII"},"environment":"PROD"}"#,
            #"{"unified_receipt":{}}"#, #"{"notification_type":"CANCEL"}"#,
        ])
    func version1(body: String) throws {
        guard case .refused(let step, let reason, let message) = try verdict(body) else {
            Issue.record("not refused")
            return
        }

        #expect(step == .kind)
        #expect(reason == .malformed)
        #expect(message.contains("version 1"))
        #expect(NotificationBody(Array(body.utf8)) == .version1)
    }

    @Test(
        "Every shape that Apple has is read, and an external purchase token tells its environment by its name",
        arguments: [
            (#""data":{"bundleId":"com.example.app","environment":"Sandbox"}"#, AppleEnvironment.sandbox),
            (#""data":{"bundleId":"com.example.app","environment":"Production","appAppleId":7}"#, .production),
            (
                #"""
                "summary":{"requestIdentifier":"1","environment":"Production","appAppleId":7,"productId":"pro",
                "bundleId":"com.example.app","storefrontCountryCodes":["DEU"],"succeededCount":5,"failedCount":2}
                """#, .production
            ),
            (
                #"""
                "externalPurchaseToken":{"externalPurchaseId":"b2158121","tokenCreationDate":1700000000000,
                "appAppleId":7,"bundleId":"com.example.app","tokenType":"SERVICES"}
                """#, .production
            ),
            (
                #"""
                "externalPurchaseToken":{"externalPurchaseId":"SANDBOX_b2158121","tokenCreationDate":1700000000000,
                "bundleId":"com.example.app"}
                """#, .sandbox
            ),
            (#""appData":{"bundleId":"com.example.app","environment":"Sandbox","appAppleId":7}"#, .sandbox),
        ])
    func shapes(subject: String, environment: AppleEnvironment) throws {
        let text = try sign(
            json: #""notificationType":"X","notificationUUID":"1","signedDate":1700000000000,\#(subject)"#)

        #expect(try verify(text, environments: [environment], appAppleID: 7)?.payload.environment == environment)
        let others: Set<AppleEnvironment> = [.sandbox, .production, .xcode]
        #expect(try refusal(text, environments: others.subtracting([environment])).reason == .wrongEnvironment)
        #expect(try refusal(text, bundleID: "com.example.other").reason == .wrongApp)
    }

    @Test("A withdrawn consent carries the download, signed by itself")
    func rescindConsent() throws {
        var payload = NotificationPayload(.rescindConsent, notificationUUID: "1", signedDate: Self.now)
        payload.subject = NotificationPayload.Subject(.appData)
        payload.subject?.bundleID = Self.bundleID
        payload.subject?.environment = .sandbox
        var download = AppTransactionPayload(signedDate: Self.now)
        download.bundleID = Self.bundleID
        download.environment = .sandbox
        download.appTransactionID = "704897469903383919"
        payload.subject?.signedAppTransactionInfo = try authority.sign(try download.json())

        let notification = try #require(try verify(try sign(payload)))

        #expect(notification.appTransaction?.appTransactionID == "704897469903383919")
        #expect(notification.fields["signedAppTransactionInfo"]?["receiptType"] == .string("Sandbox"))
        download.bundleID = "com.example.other"
        payload.subject?.signedAppTransactionInfo = try authority.sign(try download.json())
        #expect(try refusal(try sign(payload)) == ("app_transaction.metadata", .wrongApp))
    }

    @Test("What is not known yet is kept: types, subtypes, members, and a shape without an app is for none")
    func unknown() throws {
        let start = #""notificationType":"NEW","notificationUUID":"1","subtype":"ODD","signedDate":1700000000000.5"#
        let text = try sign(
            json: start + #","data":{"bundleId":"com.example.app","signedNewInfo":"x","status":9},"more":{"n":[1e3]}"#)

        let notification = try #require(try verify(text))

        #expect(notification.payload.type.rawValue == "NEW")
        #expect(notification.payload.subtype?.rawValue == "ODD")
        #expect(notification.payload.subject?.status == 9)
        #expect(notification.fields["more"] == .object(["n": .array([.double(1000)])]))
        #expect(notification.fields["data"]?["signedNewInfo"] == .string("x"))
        #expect(try refusal(try sign(json: start + #","newData":{"bundleId":"com.example.app"}"#)).reason == .wrongApp)
    }

    @Test(
        "Without what every notification has, it is malformed",
        arguments: [
            #""notificationUUID":"1","signedDate":1700000000000"#, #""notificationType":"TEST","signedDate":1"#,
            #""notificationType":"TEST","notificationUUID":"1""#,
            #""notificationType":7,"notificationUUID":"1","signedDate":1700000000000"#,
            #""notificationType":"TEST","notificationUUID":"1","signedDate":1700000000000,"data":[]"#,
            #""notificationType":"TEST","notificationUUID":"1","signedDate":1700000000000,"data":{"appAppleId":"7"}"#,
            #""notificationType":"TEST","notificationUUID":"1\u0000","signedDate":1700000000000"#,
        ])
    func malformed(members: String) throws {
        #expect(try refusal(try sign(json: members)) == ("structure", .malformed))
    }

    // MARK: What it carries

    @Test("A failure in what it carries is named with its place")
    func inner() throws {
        let stranger = try TestAuthority.make()
        let texts = try (authority.signTransaction(transaction), authority.signRenewal(renewal))
        var later = transaction
        later.signedDate = Self.now + 61

        #expect(
            try inner({ $0.signedTransactionInfo = try stranger.signTransaction(transaction) })
                == ("transaction.chain", .untrustedChain))
        #expect(
            try inner({ $0.signedRenewalInfo = try stranger.signRenewal(renewal) })
                == ("renewal.chain", .untrustedChain))
        #expect(
            try inner({ $0.signedTransactionInfo = texts.0.dropLast(86) + String(repeating: "A", count: 86) })
                == ("transaction.signature", .badSignature))
        #expect(try inner({ $0.signedTransactionInfo = "" }) == ("transaction.structure", .malformed))
        #expect(try inner({ $0.signedTransactionInfo = texts.1 }) == ("transaction.kind", .malformed))
        #expect(try inner({ $0.signedRenewalInfo = texts.0 }) == ("renewal.kind", .malformed))
        var payload = try notification()
        payload.subject?.signedTransactionInfo = try authority.signTransaction(later)
        guard case .retryable(.signedInFuture) = try verdict(try sign(payload)) else {
            Issue.record("a transaction of tomorrow is not retryable")
            return
        }
    }

    @Test("What it carries is for the same app and from the same environment; one that is not told is, as in 2021")
    func agreement() throws {
        var other = transaction
        other.bundleID = "com.example.other"
        #expect(
            try inner({ $0.signedTransactionInfo = try authority.signTransaction(other) })
                == ("transaction.metadata", .wrongApp))
        other = transaction
        other.environment = .production
        #expect(
            try inner({ $0.signedTransactionInfo = try authority.signTransaction(other) })
                == ("transaction.metadata", .wrongEnvironment))
        other.environment = nil
        var payload = try notification()
        payload.subject?.signedTransactionInfo = try authority.signTransaction(other)
        #expect(try verify(try sign(payload)) != nil)
        #expect(try verify(try sign(payload), bundleID: nil) != nil)
        payload.subject?.bundleID = "com.example.another"
        #expect(try refusal(try sign(payload), bundleID: nil) == ("transaction.metadata", .wrongApp))
    }

    @Test("The steps are those of the notification and of what it carries")
    func steps() throws {
        let notification = try #require(try verify(try sign(try notification())))

        #expect(NotificationVerifier.steps(of: nil).map(\.rawValue) == ["structure", "chain", "signature", "metadata"])
        #expect(
            NotificationVerifier.steps(of: notification.payload).map(\.rawValue).suffix(8) == [
                "transaction.structure", "transaction.chain", "transaction.signature", "transaction.metadata",
                "renewal.structure", "renewal.chain", "renewal.signature", "renewal.metadata",
            ])
    }

    // MARK: App

    @Test(
        "Apple's number of the app is compared where it is told, and has to be told in production",
        arguments: [
            (7, "Sandbox", true), (8, "Sandbox", false), (nil, "Sandbox", true), (0, "Sandbox", true),
            (7, "Production", true), (8, "Production", false), (nil, "Production", false), (0, "Production", false),
            (nil, "Tomorrow", false),
        ] as [(Int?, String, Bool)])
    func appAppleID(told: Int?, environment: String, isAccepted: Bool) throws {
        let id = told.map { #","appAppleId":\#($0)"# } ?? ""
        let data = #"{"bundleId":"com.example.app","environment":"\#(environment)"\#(id)}"#
        let text = try sign(
            json: #""notificationType":"TEST","notificationUUID":"1","signedDate":1700000000000,"data":\#(data)"#)

        #expect((try verify(text, appAppleID: 7) != nil) == isAccepted)
        if !isAccepted { #expect(try refusal(text, appAppleID: 7) == ("metadata", .wrongApp)) }
    }

    @Test("Transactions are no notifications, and the reverse")
    func kinds() throws {
        #expect(try refusal(authority.signTransaction(transaction)) == ("kind", .malformed))
        let verifier = TransactionVerifier(bundleID: Self.bundleID, roots: authority.trustRoots)
        let text = Array(try sign(try notification()).utf8)
        guard case .refused(.kind, .malformed, let message) = try verifier.verify(text, at: Self.now).verdict else {
            Issue.record("a notification passed for a transaction")
            return
        }
        #expect(message.contains("notification"))
    }

    // MARK: Cost

    @Test("The signer of all three texts is followed to the root once, and found in the cache the next time")
    func chains() throws {
        let text = Array(try sign(try notification()).utf8)
        let verifier = NotificationVerifier(bundleID: Self.bundleID, roots: authority.trustRoots)
        let cache = ChainCache()

        let first = try verifier.verify(text, at: Self.now, cache: cache)

        #expect(first.chains.count == 1)
        for chain in first.chains { cache.remember(chain, at: Self.now) }
        let second = try verifier.verify(text, at: Self.now, cache: cache)
        #expect(second.chains.isEmpty)
        #expect(second.verdict.isVerified)
    }

    @Test("What is longer than a body may be is refused unread")
    func tooLong() throws {
        var payload = try notification()
        payload.subject?.consumptionRequestReason = String(repeating: "x", count: 1 << 20)

        #expect(try refusal(try sign(payload)) == ("structure", .malformed))
        #expect(try refusal(#"{"signedPayload":"\#(try sign(payload))"}"#) == ("structure", .malformed))
    }

    // MARK: Tampering

    @Test("Cut at any byte it is refused")
    func truncation() throws {
        let text = Array(try sign(try notification()).utf8)
        let verifier = NotificationVerifier(bundleID: Self.bundleID, roots: authority.trustRoots)
        let cache = ChainCache()
        for chain in try verifier.verify(text, at: Self.now).chains { cache.remember(chain, at: Self.now) }

        for count in 0..<text.count {
            let verdict = try verifier.verify(Array(text.prefix(count)), at: Self.now, cache: cache).verdict
            guard !verdict.isVerified else {
                Issue.record("verified with \(count) bytes of \(text.count)")
                return
            }
        }
    }

    @Test("With any one bit of payload or signature changed it is refused; a long one with one of any byte")
    func bits() async throws {
        let data = #"{"bundleId":"com.example.app","environment":"Sandbox"}"#
        let short = Array(
            try sign(
                json: #""notificationType":"TEST","notificationUUID":"1","signedDate":1700000000000,"data":\#(data)"#
            ).utf8)
        let verifier = NotificationVerifier(bundleID: Self.bundleID, roots: authority.trustRoots)
        let cache = ChainCache()
        for chain in try verifier.verify(short, at: Self.now).chains { cache.remember(chain, at: Self.now) }

        let long = Array(try sign(try notification()).utf8)
        for (text, bits) in [(short, bitsOfSignedText(short)), (long, oneBit(ofEach: long))] {
            try await sideBySide(bits) { bit in
                var changed = text
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let isVerified = try verifier.verify(changed, at: Self.now, cache: cache).verdict.isVerified
                #expect(!isVerified, "bit \(bit) of \(text.count) bytes")
            }
        }
    }

    // MARK: What the tests are made of

    func notification() throws -> NotificationPayload {
        var payload = NotificationPayload(
            .subscribed, .initialBuy, notificationUUID: "00000000-0000-4000-8000-000000000001", signedDate: Self.now)
        payload.version = "2.0"
        var subject = NotificationPayload.Subject(.data)
        subject.bundleID = Self.bundleID
        subject.environment = .sandbox
        subject.status = 1
        subject.signedTransactionInfo = try authority.signTransaction(transaction)
        subject.signedRenewalInfo = try authority.signRenewal(renewal)
        payload.subject = subject
        return payload
    }

    func sign(_ payload: NotificationPayload) throws -> String { try authority.sign(try payload.json()) }

    func sign(json members: String) throws -> String { try authority.sign(Array("{\(members)}".utf8)) }

    func verdict(
        _ body: String, bundleID: String? = bundleID, environments: Set<AppleEnvironment>? = nil,
        appAppleID: Int64? = nil
    ) throws -> Verdict<SignedNotification> {
        let verifier = NotificationVerifier(
            bundleID: bundleID, environments: environments, appAppleID: appAppleID, roots: authority.trustRoots)
        return try verifier.verify(Array(body.utf8), at: Self.now).verdict
    }

    func verify(
        _ body: String, bundleID: String? = bundleID, environments: Set<AppleEnvironment>? = nil,
        appAppleID: Int64? = nil
    ) throws -> SignedNotification? {
        let verdict = try verdict(body, bundleID: bundleID, environments: environments, appAppleID: appAppleID)
        if case .verified(let notification) = verdict { return notification }
        return nil
    }

    func refusal(
        _ body: String, bundleID: String? = bundleID, environments: Set<AppleEnvironment>? = nil,
        appAppleID: Int64? = nil
    ) throws -> (step: String?, reason: RefusalReason?) {
        let verdict = try verdict(body, bundleID: bundleID, environments: environments, appAppleID: appAppleID)
        if case .refused(let step, let reason, _) = verdict { return (step.rawValue, reason) }
        return (nil, nil)
    }

    /// What comes of a notification that carries something else.
    func inner(
        _ change: (inout NotificationPayload.Subject) throws -> Void
    ) throws -> (step: String?, reason: RefusalReason?) {
        var payload = try notification()
        var subject = try #require(payload.subject)
        try change(&subject)
        payload.subject = subject
        return try refusal(try sign(payload))
    }
}
