import Foundation
import Messages
import Testing
import TestSupport
import Tollgate

@Suite("tollgate load")
struct LoadCommandTests {
    static let surroundings = [
        "TOLLGATE_APP": "com.example.tunes", "TOLLGATE_AUTHORITY": "/nowhere",
        "TOLLGATE_LOAD_BROKER": "amqp://tollgate-load:secret@localhost",
    ]

    static func load(_ words: String..., environment: [String: String] = [:]) async -> Tool.Ending {
        await FakeInstallation().tool(["load"] + words, environment: surroundings.merging(environment) { $1 })
    }

    @Test("A dry run says what would be sent, and sends nothing")
    func dryRun() async {
        let ending = await Self.load("--rate", "100..300", "--for", "10s", "--dry-run", "--through", "queues")

        #expect(ending.status == .success, "\(ending.complaint)")
        #expect(ending.output.hasPrefix("would send 2000 messages in 10 s to the queues: identify=40"))
    }

    @Test(
        "A broker or an edge that is not this host is refused, unless it is said to be meant",
        arguments: [
            ["--broker", "amqp://tollgate:x@broker.example.com"], ["--url", "http://edge.example.com"],
            ["--broker", "amqp://tollgate:x@10.0.0.1"], ["--url", "http://127.0.0.1.example.com"],
            ["--url", "nonsense"],
            ["--through", "queues", "--load-broker", "amqp://tollgate-load:x@192.168.1.1"],
        ])
    func remote(words: [String]) async {
        let installation = FakeInstallation()
        let refused = await installation.tool(["load", "--dry-run"] + words, environment: Self.surroundings)
        let meant = await installation.tool(
            ["load", "--dry-run", "--remote"] + words, environment: Self.surroundings)

        #expect(refused.status == .usage)
        #expect(refused.complaint.contains("is not this host"))
        #expect(!refused.complaint.contains("x@"))
        #expect(meant.status == .success, "\(meant.complaint)")
    }

    @Test(
        "Onto the queues goes the login of load alone",
        arguments: [
            "amqp://tollgate:x@localhost", "amqp://receipt-validator:x@localhost", "amqp://localhost", "nonsense",
        ])
    func login(url: String) async {
        let ending = await Self.load("--through", "queues", "--load-broker", url, "--dry-run")

        #expect(ending.status == .usage)
    }

    @Test(
        "What cannot be done is refused before anything is sent",
        arguments: [
            ["--mix", "unheard-of=1"], ["--rate", "0"], ["--for", "25h"], ["--threshold", "p42<1"],
            ["--poison", "95%"],
            ["--without-ids", "5%"], ["--kill", "rabbitmq@1s"], ["--kill", "receipt-validator@1s", "--for", "500ms"],
            ["--mix", "paywall=1", "--through", "queues"], ["--mix", "notification=1"], ["--mix", "verify=1"],
            ["--mix", "receipt=1"], ["--count", "0"],
            ["--seed", "0"], ["--in-flight", "0"], ["--ask=-1"], ["--settle", "2h"], ["--answer-within", "0s"],
            ["--kill", "receipt-validator@1s+3s", "--kill", "receipt-validator@3s"],
        ])
    func refused(words: [String]) async {
        let ending = await FakeInstallation().tool(["load", "--dry-run"] + words, environment: Self.surroundings)

        #expect(ending.status == .usage, "\(ending.output)\(ending.complaint)")
    }

    @Test("Killed is only a program of that very name, of our own", arguments: ["", "x", "0", "-1", "1", "999999999"])
    func killsNobodyElse(number: String) async throws {
        let folder = TemporaryFolder()
        try number.write(toFile: folder.path + "/receipt-validator", atomically: true, encoding: .utf8)

        let ending = await Self.load("--kill", "receipt-validator@1s", "--pids", folder.path, "--dry-run")

        #expect(ending.status == .failed)
        #expect(ending.complaint.contains("--kill receipt-validator"))
    }

    @Test("Our own process is no receipt-validator")
    func killsNotUs() async throws {
        let folder = TemporaryFolder()
        let own = String(ProcessInfo.processInfo.processIdentifier)
        try own.write(toFile: folder.path + "/receipt-validator", atomically: true, encoding: .utf8)

        let ending = await Self.load("--kill", "receipt-validator@1s", "--pids", folder.path, "--dry-run")

        #expect(ending.status == .failed)
        #expect(ending.complaint.contains("no receipt-validator of ours"))
    }

    @Test("An installation that does not run whole is not loaded")
    func silent() async throws {
        let installation = FakeInstallation()
        let ending = try await installation.answeringIdly(ServiceName.all.filter { $0 != .eventIngest }) {
            await installation.tool(
                ["load", "--through", "queues", "--for", "1s"], environment: Self.surroundings)
        }

        #expect(ending.status == .unavailable)
        #expect(ending.complaint.contains("does not answer"))
    }
}
