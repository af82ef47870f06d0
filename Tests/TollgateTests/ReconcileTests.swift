import Messages
import Messaging
import Synchronization
import Testing
import TestSupport
import Tollgate

@Suite("tollgate reconcile")
struct ReconcileTests {
    static let noHoldings = HoldingsPage.Value(holdings: [], next: nil)

    /// Runs `body` while every service answers: the validator as said, the others that nothing ever came.
    static func installation<Value: Sendable>(
        validator: @escaping FakeInstallation.Answers = { _, _ in
            Answer.applied(FakeInstallation.report(.receiptValidator, applied: 3))
        },
        holdings: @escaping @Sendable (HoldingsPage) -> HoldingsPage.Value = { _ in noHoldings },
        _ body: @Sendable (FakeInstallation) async throws -> Value
    ) async throws -> Value {
        let installation = FakeInstallation()
        return try await installation.answeringIdly([.attestGateway, .paywallExperiments, .eventIngest]) {
            try await installation.answering(.receiptValidator, by: validator) {
                try await installation.answering(.entitlementResolver) { kind, body in
                    guard kind == HoldingsPage.kind else {
                        return Answer.applied(FakeInstallation.report(.entitlementResolver, applied: 4))
                    }
                    return (try? MessageJSON.decode(HoldingsPage.self, from: body)).map { Answer.applied(holdings($0)) }
                } while: {
                    try await body(installation)
                }
            }
        }
    }

    @Test("With every partition at rest, all is accounted for, and the last line says so")
    func accounted() async throws {
        let ending = try await Self.installation { await $0.tool("reconcile") }

        #expect(ending.status == .success, "\(ending.output)\(ending.complaint)")
        let lines = ending.output.split(separator: "\n")
        #expect(lines.last == "all is accounted for: 7 applied, 0 refused, 0 dead letters")
        #expect(lines.contains("transactions held by two: 0"))
    }

    @Test("The JSON has the verdict and every partition")
    func json() async throws {
        let ending = try await Self.installation { await $0.tool("reconcile", "--json") }

        #expect(ending.output.contains(#""verdict":"accounted""#))
        #expect(ending.output.contains(#""heldByTwo":[]"#))
        #expect(ending.output.contains(#""service":"receipt-validator""#))
    }

    @Test("A partition that does not answer is named, with what waits for it, and nothing can be said")
    func silent() async throws {
        let installation = FakeInstallation()
        installation.broker.inject(
            Envelope(kind: "artifact.submit.v1", id: MessageID(at: .now), body: []),
            to: .command(.receiptValidator, Bucket.all[0]))

        let ending = try await installation.answeringIdly([.entitlementResolver, .paywallExperiments, .eventIngest]) {
            await installation.tool("reconcile")
        }

        #expect(ending.status == .failed)
        let lines = ending.output.split(separator: "\n")
        #expect(
            lines.last?.hasPrefix("cannot say whether all is accounted for: no answer from attest-gateway.0") == true)
        #expect(
            lines.contains {
                $0.hasPrefix("no answer: receipt-validator.0: ") && $0.hasSuffix("; 1 wait in its queue")
            })
    }

    @Test("Services say themselves into how many partitions they are split, and each of them is asked")
    func partitionCount() async throws {
        let asked = Mutex<Set<Int>>([])
        let topology = Topology(Topology.Layout(partitions: [.receiptValidator: PartitionCount(rawValue: 2) ?? .one]))
        let installation = FakeInstallation(topology: topology)

        _ = try await installation.answering(.receiptValidator, 0, of: 2) { _, _ in
            _ = asked.withLock { $0.insert(0) }
            return Answer.applied(FakeInstallation.report(.receiptValidator, 0, of: 2))
        } while: {
            try await installation.answering(.receiptValidator, 1, of: 2) { _, _ in
                _ = asked.withLock { $0.insert(1) }
                return Answer.applied(FakeInstallation.report(.receiptValidator, 1, of: 2))
            } while: {
                try await installation.answeringIdly(ServiceName.all.filter { $0 != .receiptValidator }) {
                    await installation.tool("reconcile", "--json")
                }
            }
        }

        #expect(asked.withLock { $0 } == [0, 1])
    }

    @Test("A partition that speaks for another has not answered")
    func impostor() async throws {
        let ending = try await Self.installation(validator: { _, _ in
            Answer.applied(FakeInstallation.report(.receiptValidator, 0, of: 3))
        }) { await $0.tool("reconcile") }

        #expect(ending.status == .failed)
        #expect(ending.output.contains("receipt-validator.0: it says that it is receipt-validator.0 of 3"))
    }

    @Test("An answer that cannot be read is no answer")
    func unreadable() async throws {
        let ending = try await Self.installation(validator: { _, _ in ["outcome": "applied"] }) {
            await $0.tool("reconcile")
        }

        #expect(ending.status == .failed)
        #expect(ending.output.contains("no answer: receipt-validator.0"))
    }

    @Test("Two holders of a transaction, pages apart, are found")
    func heldByTwo() async throws {
        let ending = try await Self.installation(holdings: { page in
            let user = AppUserID(rawValue: page.after == nil ? "anna" : "otto")
            return HoldingsPage.Value(
                holdings: [.init(transaction: "acme//1", user: user)], next: page.after == nil ? 7 : nil)
        }) { await $0.tool("reconcile") }

        #expect(ending.status == .failed)
        #expect(ending.output.contains("  acme//1: anna, otto"))
        #expect(ending.output.hasSuffix("not all is well: 1 transaction is held by two"))
    }

    @Test("Pages that go round end with an error")
    func endlessPages() async throws {
        let ending = try await Self.installation(holdings: { _ in .init(holdings: [], next: 7) }) {
            await $0.tool("reconcile")
        }

        #expect(ending.status == .failed)
        #expect(ending.complaint.contains("goes round"))
    }

    @Test("What still moves is looked at again until it has ended")
    func wait() async throws {
        let looks = Mutex(0)
        let ending = try await Self.installation(validator: { _, _ in
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            var report = FakeInstallation.report(.receiptValidator, applied: min(look, 4))
            report.unpublished = look < 3 ? 1 : 0
            return Answer.applied(report)
        }) { await $0.tool("reconcile", "--wait", "60") }

        #expect(ending.status == .success)
        #expect(ending.output.hasSuffix("all is accounted for: 8 applied, 0 refused, 0 dead letters"))
        #expect(looks.withLock { $0 } >= 5)
    }

    @Test("What only looked lost ends the looking as soon as it has come, also after the wait is over")
    func late() async throws {
        let looks = Mutex(0)
        let start = ContinuousClock.now
        let ending = try await Self.installation(validator: { _, _ in
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            var report = FakeInstallation.report(.receiptValidator)
            let seen: ClosedRange<Int> = look < 4 ? 1...3 : 1...5
            report.numbers = [NumberLedgerTests.numbers("receipt-validator.5", seen: [seen], through: 5)]
            return Answer.applied(report)
        }) { await $0.tool("reconcile") }

        #expect(ending.status == .success, "\(ending)")
        #expect(looks.withLock { $0 } >= 4)
        #expect(ContinuousClock.now - start < .seconds(11))
    }

    @Test("What moves between two looks is not at rest")
    func moving() async throws {
        let looks = Mutex(0)
        let ending = try await Self.installation(validator: { _, _ in
            let look = looks.withLock { looks in
                looks += 1
                return looks
            }
            return Answer.applied(FakeInstallation.report(.receiptValidator, applied: look))
        }) { await $0.tool("reconcile") }

        #expect(ending.status == .failed)
        #expect(ending.output.hasSuffix("not all has ended yet: something moved while it was looked at"))
    }

    @Test("Watching says how it stands, a line a look, and ends well if nothing was ever lost")
    func watch() async throws {
        let (ending, written) = try await Self.installation { installation in
            (await installation.tool("reconcile", "--watch", "1", "--count", "2"), installation.written)
        }

        #expect(ending.status == .success, "\(ending.complaint)")
        let lines = written.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(" unaccounted 0; all is accounted for: 7 applied") })
    }

    @Test(
        "What one subscriber has not seen of an event is said to be waiting or lost at first, and by name",
        arguments: [
            ["reconcile", "--watch", "1", "--count", "1", "--json"]
        ])
    func oneSubscriber(words: [String]) async throws {
        let route = "app.changed.v1.3"
        let told = NumberLedgerTests.numbers(route, seen: [], through: 2)
        let ending = try await Self.installation(validator: { _, _ in
            var report = FakeInstallation.report(.receiptValidator)
            report.numbers = [NumberLedgerTests.numbers(route, seen: [1...2], through: 2)]
            report.published = [told]
            return Answer.applied(report)
        }) { installation in
            _ = await installation.tool(words)
            return installation.written
        }

        #expect(ending.contains(#""waitingOrLost":[{"numbers":[[1,2]],"partition":0"#))
        #expect(ending.contains(#""service":"entitlement-resolver"}"#))
        #expect(ending.contains(#""lost":[]"#))
    }

    @Test(
        "Waiting and watching do not go together, and a count needs something to count",
        arguments: [
            ["--watch", "1", "--wait", "1"], ["--count", "1"], ["--watch", "0"],
        ])
    func badWatch(words: [String]) async {
        let ending = await FakeInstallation().tool(["reconcile"] + words)

        #expect(ending.status == .usage)
    }

    @Test("A number of seconds that is none is a usage error", arguments: ["-1", "x", "86401", ""])
    func badWait(text: String) async {
        let ending = await FakeInstallation().tool("reconcile", "--wait", text)

        #expect(ending.status == .usage)
    }
}

@Suite("tollgate topology")
struct TopologyCommandTests {
    @Test("Applied without a management API: everything is declared, and the commands for the users are printed")
    func apply() async throws {
        let installation = FakeInstallation(topology: nil)

        let first = await installation.tool("topology", "apply", "--partitions", "receipt-validator=2")
        let again = await installation.tool("topology", "apply", "--partitions", "receipt-validator=2")

        #expect(first.status == .success, "\(first.complaint)")
        #expect(first.output.hasPrefix("declared 6 exchanges, 31 queues"))
        #expect(first.output.contains("rabbitmqctl add_user receipt-validator"))
        #expect(again.status == .success)
        let session = try await installation.broker.openSession(named: "test")
        #expect(try await session.ready(in: "receipt-validator.1") == 0)
    }

    @Test("A dry run declares nothing and writes no passwords")
    func dryRun() async throws {
        let installation = FakeInstallation(topology: nil)
        let folder = TemporaryFolder()

        let ending = await installation.tool(
            "topology", "apply", "--dry-run", "--passwords", folder.path + "/passwords")

        #expect(ending.status == .success)
        #expect(ending.output.hasPrefix("would declare what is missing of 6 exchanges"))
        let session = try await installation.broker.openSession(named: "test")
        await #expect(throws: BrokerError.self) { try await session.ready(in: "receipt-validator.0") }
        #expect(try PasswordFile(readingFrom: folder.path + "/passwords").entries.isEmpty)
    }

    @Test("Without a management API the check compares arguments, and says what it could not check")
    func check() async {
        let installation = FakeInstallation()

        let same = await installation.tool("topology", "check")
        let other = await installation.tool("topology", "check", environment: ["TOLLGATE_RETRY_DELAYS": "1s,5s"])
        let changed = await FakeInstallation(
            topology: Topology(Topology.Layout(retryDelays: [RetryDelay(text: "1s", duration: .seconds(2))]))
        ).tool("topology", "check")

        #expect(same.status == .success)
        #expect(same.output.contains("not checked, for TOLLGATE_BROKER_MANAGEMENT is not set"))
        #expect(other.status == .success)
        #expect(changed.status == .failed)
        #expect(changed.complaint.contains("retry.1s"))
    }

    @Test("It is shown for as many partitions as services have; the registry has one")
    func show() async {
        let installation = FakeInstallation()

        let common = await installation.tool("topology", "show", environment: ["TOLLGATE_PARTITIONS": "4"])
        let bad = await installation.tool("topology", "show", environment: ["TOLLGATE_PARTITIONS": "3"])
        let said = await installation.tool("topology", "show", "--partitions", "receipt-validator=3")

        #expect(common.output.contains("\n  receipt-validator.3\n"))
        #expect(!common.output.contains("\n  attest-gateway.1\n"))
        #expect(bad.status == .settings)
        #expect(said.status == .usage)
    }
}
