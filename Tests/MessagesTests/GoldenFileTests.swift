import Foundation
import Messages
import Testing

/// The bodies that this release publishes, as they are published. A published field is never renamed or retyped: when one
/// of these fails, the change to the type is wrong, not the file.
@Suite("Golden files")
struct GoldenFileTests {
    static let types = Catalogue.kinds.map(\.body)

    @Test("Every kind has a file; every command, request and query one for its answer too")
    func complete() throws {
        let names = Set(try Golden.names())

        for kind in Golden.bodies.keys { #expect(names.contains(kind), "\(kind)") }
        for kind in Golden.answers.keys { #expect(names.contains("\(kind).answer"), "\(kind)") }
    }

    @Test("Every file is of a kind that there is, is read, and written again byte for byte")
    func roundTrip() throws {
        for name in try Golden.names() {
            let type = try #require(Golden.type(of: name), "\(name): left over from a kind that is gone?")

            try Golden.expectRoundTrip(type, name)
        }
    }

    @Test("A member that this release does not know is passed over", arguments: types.map { $0.kind.rawValue })
    func unknownMember(kind: String) throws {
        let type = try #require(Self.types.first { $0.kind.rawValue == kind })
        let body = try Golden.body(kind)
        let empty = body == Array("{}".utf8)
        let longer = Array("{\"$new\":[{\"a\":null}]\(empty ? "" : ",")".utf8) + body.dropFirst()

        func check<Body: Message>(_ type: Body.Type) throws {
            #expect(
                try MessageJSON.decode(Body.self, from: longer) == MessageJSON.decode(Body.self, from: body))
        }
        try check(type)
    }

    @Test("A value that this release has not heard of survives the way through it")
    func unknownValue() throws {
        let text = String(decoding: try Golden.body("transaction.verified.v1"), as: UTF8.self)
            .replacing("\"production\"", with: "\"moonbase\"").replacing("Auto-Renewable Subscription", with: "Lease")

        let event = try MessageJSON.decode(TransactionVerified.self, from: Array(text.utf8))

        #expect(event.transaction.environment.rawValue == "moonbase")
        #expect(try MessageJSON.encode(event) == Array(text.utf8))
    }

    @Test(
        "The key of a kind is what its partition is chosen by",
        arguments: [
            ("app.put.v1", "acme"), ("key.add.v1", "acme"), ("key.revoke.v1", "acme"),
            ("registry.snapshot.v1", "registry"), ("app.changed.v1", "acme"), ("key.changed.v1", "acme"),
            ("attestation.submit.v1", "acme/com.example.app/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
            ("assertion.submit.v1", "acme/com.example.app/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
            ("device.revoke.v1", "acme/com.example.app/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
            ("device.attested.v1", "acme/com.example.app/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
            ("device.revoked.v1", "acme/com.example.app/n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg="),
            ("devices.page.v1", "registry"), ("edge.counts.v1", "0193aa02-5e6b-7c1d-8f90-1a2b3c4d5e6f"),
            ("artifact.submit.v1", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("artifact.verify.v1", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("artifact.reverify.v1", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("transaction.verified.v1", "acme/2000000900000001"),
            ("transaction.retracted.v1", "acme/2000000900000001"), ("renewal.verified.v1", "acme/2000000900000001"),
            ("renewal.retracted.v1", "acme/2000000900000001"),
            ("notification.verified.v1", "acme/2000000900000001"),
            ("artifact.refused.v1", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"),
            ("user.identify.v1", "acme/Zoë/組織"), ("link.claim.v1", "acme/2000000900000001"),
            ("mapping.set.v1", "acme/com.example.app"), ("mapping.list.v1", "acme/com.example.app"),
            ("mapping.changed.v1", "acme/com.example.app"), ("link.changed.v1", "acme/user-42"),
            ("subscription.changed.v1", "acme/user-42"), ("entitlement.changed.v1", "acme/user-42"),
            ("user.get.v1", "acme/user-42"), ("user.document.v1", "acme/user-42"), ("user.why.v1", "acme/user-42"),
            ("chain.history.v1", "acme/2000000900000001"), ("customer.purchase.v1", "acme/user-42"),
            ("customer.refund.v1", "acme/user-42"),
            ("impression.record.v1", "acme/com.example.app/6F9619FF-8B86-D011-B42D-00CF4FC964FF"),
            ("paywall.exposed.v1", "acme/user-42"),
            ("outcome.credit.v1", "acme/com.example.app/6F9619FF-8B86-D011-B42D-00CF4FC964FF"),
        ])
    func key(kind: String, expected: String) throws {
        let type = try #require(Self.types.first { $0.kind.rawValue == kind })

        let message = try MessageJSON.decode(type, from: try Golden.body(kind))

        #expect(message.key == expected)
        #expect(message.bucket == Bucket(of: expected))
    }

    @Test("A notification without a transaction is found by its own id")
    func notificationWithout() throws {
        let message = try MessageJSON.decode(
            NotificationVerified.self, from: try Golden.body("notification.verified.v1.least"))

        #expect(message.key == "acme/0b1c6a52-7a3e-4c38-9d0f-0d9a2f5d5c11")
    }

    @Test("A page of holdings, or of artifacts, goes to the partition that it names")
    func holdingsPage() throws {
        for count in [1, 4, 64].compactMap(PartitionCount.init(rawValue:)) {
            for partition in 0..<count.rawValue {
                #expect(HoldingsPage(partition: partition).bucket.partition(of: count) == partition)
                #expect(ArtifactsPage(partition: partition).bucket.partition(of: count) == partition)
            }
        }
    }

    @Test("A question about a user without an environment is about production")
    func environmentLeftOut() throws {
        let body = #"{"organisation":"acme","app":"com.example.app","user":"user-42"}"#

        let query = try MessageJSON.decode(UserGet.self, from: Array(body.utf8))

        #expect(
            query
                == UserGet(
                    organisation: .init(rawValue: "acme"), app: .init(rawValue: "com.example.app"),
                    user: .init(rawValue: "user-42")))
        #expect(query.environment == .production)
    }

    @Test(
        "An outcome that this release has not heard of is a failure, with or without a reason",
        arguments: [#"{"outcome":"postponed"}"#, #"{"outcome":"postponed","reason":"r","message":"m"}"#])
    func unknownOutcome(text: String) throws {
        let answer = try MessageJSON.decode(Answer<Nothing>.self, from: Array(text.utf8))

        guard case .failed(let refusal) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(refusal.reason == (text.contains("reason") ? "r" : "outcome_unknown"))
    }

    @Test(
        "An answer without an outcome, or without its value, is none",
        arguments: ["{}", #"{"outcome":"applied"}"#, #"{"outcome":"refused"}"#, "[]", ""])
    func noAnswer(text: String) {
        #expect(throws: DecodingError.self) {
            try MessageJSON.decode(Answer<ProductMapping>.self, from: Array(text.utf8))
        }
    }
}
