import Foundation
import Messages
import Testing

/// The bodies that this release publishes, as they are published. A published field is never renamed or retyped: when one
/// of these fails, the change to the type is wrong, not the file.
@Suite("Golden files")
struct GoldenFileTests {
    static let types: [any Message.Type] = [
        AppPut.self, KeyAdd.self, KeyRevoke.self, RegistrySnapshot.self, AppChanged.self, KeyChanged.self,
        AttestationSubmit.self, AssertionSubmit.self, DeviceRevoke.self, DeviceAttested.self, DeviceRevoked.self,
        DevicesPage.self, ArtifactSubmit.self, ArtifactVerify.self, ArtifactReverify.self, ArtifactsPage.self,
        TransactionVerified.self, TransactionRetracted.self, RenewalVerified.self, RenewalRetracted.self,
        NotificationVerified.self, ArtifactRefused.self,
        UserIdentify.self, LinkClaim.self, MappingSet.self, MappingList.self, MappingChanged.self, LinkChanged.self,
        SubscriptionChanged.self,
        EntitlementChanged.self, UserGet.self, HoldingsPage.self, UserWhy.self, ChainHistory.self,
    ]

    @Test("Every kind of the catalogue is checked here")
    func complete() {
        #expect(Self.types.map { $0.kind.rawValue }.sorted() == Catalogue.kinds.map(\.kind.rawValue).sorted())
    }

    @Test("A body is read, and written again byte for byte", arguments: types.map { $0.kind.rawValue })
    func body(kind: String) throws {
        let type = try #require(Self.types.first { $0.kind.rawValue == kind })

        try Golden.expectRoundTrip(type, kind)
        // Without all that may be absent; with all that came later.
        for suffix in ["least", "full", "devices", "later"] where Golden.exists("\(kind).\(suffix)") {
            try Golden.expectRoundTrip(type, "\(kind).\(suffix)")
        }
    }

    @Test("Every command, request and query has an answer here, which is read and written again")
    func answers() throws {
        try Golden.expectRoundTrip(Answer<AppPut.Value>.self, "app.put.v1.answer")
        try Golden.expectRoundTrip(Answer<AppPut.Value>.self, "app.put.v1.answer.full")
        try Golden.expectRoundTrip(Answer<AppPut.Value>.self, "app.put.v1.answer.devices")
        try Golden.expectRoundTrip(Answer<KeyAdd.Value>.self, "key.add.v1.answer")
        try Golden.expectRoundTrip(Answer<KeyRevoke.Value>.self, "key.revoke.v1.answer")
        try Golden.expectRoundTrip(Answer<RegistrySnapshot.Value>.self, "registry.snapshot.v1.answer")
        try Golden.expectRoundTrip(Answer<RegistrySnapshot.Value>.self, "registry.snapshot.v1.answer.devices")
        try Golden.expectRoundTrip(Answer<AttestationSubmit.Value>.self, "attestation.submit.v1.answer")
        try Golden.expectRoundTrip(Answer<AssertionSubmit.Value>.self, "assertion.submit.v1.answer")
        try Golden.expectRoundTrip(Answer<DeviceRevoke.Value>.self, "device.revoke.v1.answer")
        try Golden.expectRoundTrip(Answer<DevicesPage.Value>.self, "devices.page.v1.answer")
        try Golden.expectRoundTrip(Answer<ArtifactSubmit.Value>.self, "artifact.submit.v1.answer")
        try Golden.expectRoundTrip(Answer<ArtifactVerify.Value>.self, "artifact.verify.v1.answer")
        try Golden.expectRoundTrip(Answer<ArtifactReverify.Value>.self, "artifact.reverify.v1.answer")
        try Golden.expectRoundTrip(Answer<ArtifactsPage.Value>.self, "artifacts.page.v1.answer")
        try Golden.expectRoundTrip(Answer<UserIdentify.Value>.self, "user.identify.v1.answer")
        try Golden.expectRoundTrip(Answer<LinkClaim.Value>.self, "link.claim.v1.answer")
        try Golden.expectRoundTrip(Answer<MappingSet.Value>.self, "mapping.set.v1.answer")
        try Golden.expectRoundTrip(Answer<MappingList.Value>.self, "mapping.list.v1.answer")
        try Golden.expectRoundTrip(Answer<UserGet.Value>.self, "user.get.v1.answer")
        try Golden.expectRoundTrip(Answer<UserGet.Value>.self, "user.get.v1.answer.full")
        try Golden.expectRoundTrip(Answer<HoldingsPage.Value>.self, "holdings.page.v1.answer")
        try Golden.expectRoundTrip(Answer<UserWhy.Value>.self, "user.why.v1.answer")
        try Golden.expectRoundTrip(Answer<ChainHistory.Value>.self, "chain.history.v1.answer")

        for kind in Catalogue.kinds where kind.role != .event {
            #expect(Golden.exists("\(kind.kind).answer"), "\(kind.kind)")
        }
    }

    @Test("What every partition takes besides its service's kinds is here too")
    func ofTheLane() throws {
        try Golden.expectRoundTrip(PublisherCheckpoint.self, PublisherCheckpoint.kind.rawValue)
        try Golden.expectRoundTrip(PartitionReportGet.self, PartitionReportGet.kind.rawValue)
        try Golden.expectRoundTrip(Answer<PartitionReport>.self, "\(PartitionReportGet.kind).answer")
    }

    static let operators: [any PartitionMessage.Type] = [
        DeadPageGet.self, DeadGroupsGet.self, AuditPageGet.self, DeadFreeze.self, DeadForetell.self, DeadReplay.self,
        DeadOutcomesGet.self, DeadArchive.self, DeadEdit.self, DeadImport.self,
    ]

    @Test("What the operator asks partitions is here too", arguments: operators.map { $0.kind })
    func ofTheOperator(kind: MessageKind) throws {
        let type: any PartitionMessage.Type = try #require(Self.operators.first { $0.kind == kind })

        func check<Body: PartitionMessage>(_ type: Body.Type) throws {
            try Golden.expectRoundTrip(type, "\(kind)")
            if Golden.exists("\(kind).least") { try Golden.expectRoundTrip(type, "\(kind).least") }
            try Golden.expectRoundTrip(Answer<Body.Value>.self, "\(kind).answer")
        }
        try check(type)
    }

    @Test("No file is left over from a kind that is gone")
    func leftOver() throws {
        let ofTheLane = [PublisherCheckpoint.kind, PartitionReportGet.kind] + Self.operators.map { $0.kind }
        let kinds = Catalogue.kinds.map(\.kind) + ofTheLane
        let suffixes = ["", ".least", ".full", ".devices", ".later", ".answer", ".answer.full", ".answer.devices"]
        let known = Set(kinds.flatMap { kind in suffixes.map { "\(kind)\($0)" } })

        for name in try Golden.names() { #expect(known.contains(name), "\(name)") }
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
            ("devices.page.v1", "registry"),
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
            ("user.get.v1", "acme/user-42"), ("user.why.v1", "acme/user-42"),
            ("chain.history.v1", "acme/2000000900000001"),
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

/// The files beside this one.
enum Golden {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Golden")

    /// The bytes of a file, less the line feed at its end.
    static func body(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent("\(name).json")).dropLast())
    }

    static func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("\(name).json").path)
    }

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).map { String($0.dropLast(".json".count)) }
    }

    static func expectRoundTrip<Value: Codable>(_ type: Value.Type, _ name: String) throws {
        let bytes = try body(name)

        let written = try MessageJSON.encode(try MessageJSON.decode(Value.self, from: bytes))

        #expect(
            written == bytes,
            "\(name): \(String(decoding: written, as: UTF8.self)) is not \(String(decoding: bytes, as: UTF8.self))")
    }
}
