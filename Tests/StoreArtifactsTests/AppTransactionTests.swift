import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("App transactions")
struct AppTransactionTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    static let authority = Result { try TestAuthority.make() }
    let authority: TestAuthority

    init() throws { authority = try Self.authority.get() }

    @Test("A download says when it was signed, where, and what the customer got first")
    func complete() throws {
        let signed = try #require(
            try verify(
                #"""
                {"receiptType":"Production","appAppleId":7,"bundleId":"com.example.app","applicationVersion":"2",
                "versionExternalIdentifier":512,"receiptCreationDate":1700000000000.25,"requestDate":1700000000000,
                "originalPurchaseDate":1600000000000,"originalApplicationVersion":"1","deviceVerification":"dv",
                "deviceVerificationNonce":"n","preorderDate":1500000000000,"appTransactionId":"704897469903383919",
                "originalPlatform":"iOS","tomorrow":12345678901234567890}
                """#, appAppleID: 7))

        #expect(abs(signed.signedDate.timeIntervalSince(Self.now) - 0.000_25) < 0.000_001)
        #expect(signed.environment == .production)
        #expect(signed.originalPurchaseDate == Date(timeIntervalSince1970: 1_600_000_000))
        #expect(signed.preorderDate == Date(timeIntervalSince1970: 1_500_000_000))
        #expect(signed.versionExternalID == 512)
        #expect(signed.appTransactionID == "704897469903383919")
        #expect(signed.originalPlatform == "iOS")
        #expect(signed.fields["tomorrow"] == .string("12345678901234567890"))
        #expect(try AppTransactionPayload(JSONObject(signed.json())).json() == signed.json())
    }

    @Test("A date before 1970 is one only where Xcode writes the beginning of the calendar")
    func negativeDates() throws {
        let start = #"{"receiptType":"Sandbox","bundleId":"com.example.app","receiptCreationDate":"#

        let old = try verify(start + #"1700000000000,"originalPurchaseDate":-62135769600000}"#)
        #expect(old?.originalPurchaseDate == Date(timeIntervalSince1970: -62_135_769_600))
        #expect(try verify(start + #"1700000000000,"originalPurchaseDate":-1e300}"#) == nil)
        #expect(try verify(start + #"1700000000000,"requestDate":-1}"#) == nil)
        #expect(try verify(start + "-1}") == nil)
    }

    @Test("Without the date of signing there is nothing to verify it at")
    func noDate() throws {
        #expect(try verify(#"{"receiptType":"Sandbox","bundleId":"com.example.app"}"#) == nil)
    }

    @Test("Apple's number of the app is compared, where it is told", arguments: [(7, true), (8, false), (0, true)])
    func appAppleID(told: Int, isAccepted: Bool) throws {
        let json =
            #"{"receiptType":"Sandbox","bundleId":"com.example.app","receiptCreationDate":1700000000000,"appAppleId":\#(told)}"#

        #expect((try verify(json, appAppleID: 7) != nil) == isAccepted)
    }

    @Test("The certificates are looked at as of another date if the caller says so")
    func certificateDate() throws {
        let text = Array(
            try authority.sign(
                Array(#"{"receiptType":"Sandbox","bundleId":"com.example.app","receiptCreationDate":1000}"#.utf8)
            ).utf8)
        let verifier = AppTransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)

        #expect(try !verifier.verify(text, at: Self.now).verdict.isVerified)
        #expect(try verifier.verify(text, at: Self.now, certificateDate: Self.now).verdict.isVerified)
        let chain = try #require(try verifier.verify(text, at: Self.now, certificateDate: Self.now).chain)
        let cache = ChainCache()
        cache.remember(chain, at: Self.now)
        #expect(try !verifier.verify(text, at: Self.now, cache: cache).verdict.isVerified)
    }

    @Test("Neither a transaction nor renewal information passes for one")
    func kinds() throws {
        for json in [
            #"{"transactionId":"1","receiptCreationDate":1700000000000,"bundleId":"com.example.app"}"#,
            #"{"autoRenewStatus":1,"receiptCreationDate":1700000000000,"bundleId":"com.example.app"}"#,
        ] {
            let text = Array(try authority.sign(Array(json.utf8)).utf8)
            let verifier = AppTransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
            guard case .refused(.kind, .malformed, _) = try verifier.verify(text, at: Self.now).verdict else {
                Issue.record("passed: \(json)")
                continue
            }
        }
    }

    @Test("With any one bit of payload or signature changed it is refused, and cut at any byte")
    func tampering() async throws {
        let text = Array(
            try authority.sign(
                Array(
                    #"{"receiptType":"Sandbox","bundleId":"com.example.app","receiptCreationDate":1700000000000}"#.utf8)
            ).utf8)
        let verifier = AppTransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        let cache = ChainCache()
        cache.remember(try #require(try verifier.verify(text, at: Self.now).chain), at: Self.now)

        for count in text.indices {
            #expect(try !verifier.verify(Array(text[..<count]), at: Self.now, cache: cache).verdict.isVerified)
        }
        try await sideBySide(bitsOfSignedText(text)) { bit in
            var changed = text
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let isVerified = try verifier.verify(changed, at: Self.now, cache: cache).verdict.isVerified
            #expect(!isVerified, "bit \(bit)")
        }
    }

    private func verify(_ json: String, appAppleID: Int64? = nil) throws -> AppTransactionPayload? {
        let verifier = AppTransactionVerifier(
            bundleID: "com.example.app", appAppleID: appAppleID, roots: authority.trustRoots)
        let verdict = try verifier.verify(Array(authority.sign(Array(json.utf8)).utf8), at: Self.now).verdict
        if case .verified(let payload) = verdict { return payload }
        return nil
    }
}
