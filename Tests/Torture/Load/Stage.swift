import AMQP
import Crypto
import Foundation
import HTTPClient
import Messages
import Messaging
import ServiceKit
import StoreSimulator
import Synchronization
import TestSupport

/// An installation under test, and how it is spoken to.
final class Stage: Sendable {
    static let organisation = OrganisationID(rawValue: Installation.organisation)
    static let app = AppID(rawValue: Installation.app)
    static let experiment = ExperimentID(rawValue: "torture")
    /// Short, so that a frozen owner is past it soon.
    static let heartbeat = Duration.seconds(2)

    let installation: Installation
    /// May publish commands, and no more.
    let stranger: any Publisher
    let operatorTool: Requester
    let notificationPath: String
    /// Of the app's server.
    let writeKey: String
    /// Signs what nobody believes.
    let forger: TestAuthority
    /// Files with keys that sign purchases.
    let (purchaseKey, strangersKey): (String, String)
    let tally = Counter()
    let stragglers = Stragglers()
    let patience: Patience
    /// Whether what is sent is doubled, reordered and said again when it is old.
    let isRough: Bool
    /// What is waited for.
    let waits = Waits()
    private let clients: [Task<Void, any Error>]

    init(isRough: Bool, nodes: Int, patience: Patience) async throws {
        self.isRough = isRough
        self.patience = patience
        installation = try await Installation.start(partitions: 2, on: .ownNodes(nodes))
        stranger = try await installation.publisher(as: .load)
        let broker = AMQPBroker(
            try await installation.login(of: .operatorTool), name: "torture",
            logger: Logger(service: "torture", least: .error, write: { _ in }))
        let requester = Requester(user: .operatorTool, broker: broker)
        operatorTool = requester
        clients = [Task { try await broker.run() }, Task { try await requester.run() }]

        try await installation.allowDevices()
        struct Added: Decodable { let notificationPath: String }
        let added = try await installation.succeed(
            "apps", "add", "--app", Installation.app, "--rotate-notification-token", "--json")
        notificationPath = try JSONDecoder().decode(Added.self, from: Data(added.output.utf8)).notificationPath
        struct Key: Decodable { let secret: String }
        let key = try await installation.succeed("keys", "add", "server", "--scope", "write", "--json")
        writeKey = try JSONDecoder().decode(Key.self, from: Data(key.output.utf8)).secret
        forger = try TestAuthority.make()
        let folder = installation.folder
        func file(of authority: TestAuthority, _ name: String) throws -> String {
            let file = folder.appendingPathComponent(name)
            try Base64.standard.encode(authority.purchaseKey.publicKey.der)
                .write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
        purchaseKey = try file(of: installation.authority, "purchase-key")
        strangersKey = try file(of: forger, "strangers-key")
        try await installation.succeed(
            "paywalls", "set", "--app", Installation.app, Installation.entitlement, Installation.product.id)
        try await startExperiment()
    }

    /// Under a name of our own: it decides who is assigned to what.
    private func startExperiment() async throws {
        let offer = PaywallSKU(product: ProductID(rawValue: Installation.product.id), kind: .subscription)
        let variants = ["control", "b"].map { VariantKey(rawValue: $0) }
        try await command(
            ExperimentCreate(
                organisation: Self.organisation, app: Self.app, experiment: Self.experiment,
                entitlement: EntitlementID(rawValue: Installation.entitlement), name: "Torture", coverage: 10_000,
                arms: variants.map { Experiment.Arm(variant: $0, weight: 1) },
                variants: variants.map { Experiment.Variant(key: $0, skus: [offer]) }))
        try await command(
            ExperimentStart(organisation: Self.organisation, app: Self.app, experiment: Self.experiment))
    }

    /// What an operator has done, again and again until it is answered.
    ///
    /// - Parameter done: a refusal that says that it has been done before.
    func command<C: Command>(_ command: C, done: [String] = []) async throws {
        try await insist("\(C.kind)") {
            switch try? await operatorTool.command(command, within: .seconds(5)) {
            case .applied: nil
            case .refused(let refusal): done.contains(refusal.reason) ? nil : "\(refusal)"
            case .failed(let refusal): "\(refusal)"
            case nil: "no answer"
            }
        }
    }

    /// A command of the tool, again and again until it succeeds.
    ///
    /// - Parameter done: part of a complaint that says that it has been done before.
    func tool(_ arguments: [String], done: String? = nil) async throws {
        try await insist("tollgate \(arguments.prefix(2).joined(separator: " "))") {
            let output = try? await installation.tool(arguments)
            if output?.status == 0 { return nil }
            let words = output.map { $0.output + $0.errors } ?? "did not start"
            if let done, words.contains(done) { return nil }
            return String(words.suffix(300))
        }
    }

    /// Tries until `attempt` has nothing to complain of.
    func insist(_ what: String, attempt: () async throws -> String?) async throws {
        let started = ContinuousClock.now
        let wait = waits.begin(what)
        defer { waits.end(wait) }
        var pause = Duration.milliseconds(30)
        while true {
            guard let complaint = try await attempt() else { return }
            waits.note(complaint, wait)
            guard patience.allows(since: started) else { throw TestFailure("\(what): \(complaint)") }
            // Another process announces nothing.
            try await Task.sleep(for: pause)
            pause = min(pause * 3 / 2, .milliseconds(300))
        }
    }

    /// - Parameter folder: where the logs of the services go; nil: with everything else.
    func close(keepingLogsIn folder: String? = nil) async {
        if let folder {
            try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let files = try? FileManager.default.contentsOfDirectory(atPath: installation.folder.path)
            for file in files ?? [] where file.hasSuffix(".log") {
                let path = installation.folder.appendingPathComponent(file).path
                try? FileManager.default.removeItem(atPath: "\(folder)/\(file)")
                try? FileManager.default.copyItem(atPath: path, toPath: "\(folder)/\(file)")
            }
        }
        for client in clients { client.cancel() }
        await installation.tearDown()
    }
}
