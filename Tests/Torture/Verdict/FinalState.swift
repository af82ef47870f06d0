import Foundation
import HTTPClient
import JSON
import Messages
import Messaging
import TestSupport

/// What an installation says in the end of everybody and everything, by name; times and what is drawn anew in each run are
/// left out.
struct FinalState: Sendable {
    private(set) var facts: [String: JSONValue] = [:]

    /// How many facts there are of each sort, but for those that say that there is nobody.
    var counts: [String: Int] {
        facts.filter { $0.value != "nobody" }.reduce(into: [:]) { counts, fact in
            counts[String(fact.key.prefix { $0 != " " && $0 != ":" }), default: 0] += 1
        }
    }

    /// - Parameter lines: whose people are asked for.
    init(of stage: Stage, after lines: [LinePlay]) async throws {
        let installation = stage.installation
        let app = "/api/v1/apps/\(Installation.app)"
        var users: [(name: String, path: String)] = []
        for line in lines {
            for person in Step.Person.allCases {
                users.append((line.user(person), "\(app)/users/\(line.user(person))"))
            }
            if line.line.steps.contains(.lateApp) {
                users.append(
                    (
                        "\(line.user(.anna)) in \(line.lateApp)",
                        "/api/v1/apps/\(line.lateApp)/users/\(line.user(.anna))"
                    ))
            }
            for (artifact, report) in line.verdicts {
                facts["verdict of line \(line.line.number), \(artifact)"] = report
            }
        }
        for (name, path) in users {
            facts["user \(name)"] = try await Self.answer(path, installation)
        }
        for line in lines where line.purchase != nil {
            facts["chain \(line.original) of line \(line.line.number)"] = try await Self.chain(line.original, stage)
        }
        let names = try await Self.answer("\(app)/signposts/names", installation)
        // They are told in the order of their first use, which is nobody's to say.
        if case .array(let all)? = names["names"] {
            facts["event names"] = .array(all.compactMap { $0["name"]?.string }.sorted().map(JSONValue.string))
        }
        facts["funnel"] = try await Self.answer("\(app)/funnel", installation)
        try await addEvents(installation)
        try await addExperiments(installation)
        try await addPlacements(installation)
        try await addDead(installation)
        let devices = try await Self.list(installation, "devices", "list")
        facts["devices"] = .array(
            devices.map { $0["revokedWhy"] ?? .null }.sorted { "\($0)" < "\($1)" })
    }

    private mutating func addEvents(_ installation: Installation) async throws {
        for event in try await Self.list(installation, "signposts", "tail", "--limit", "100000") {
            let name = "event \(event["id"]?.string ?? "without id")"
            let told = JSONValue.object([
                "app": event["app"] ?? .null, "user": event["user"] ?? .null, "name": event["name"] ?? .null,
                "properties": event["properties"] ?? .null, "trust": event["trust"] ?? .null,
            ])
            if facts[name] != nil { facts["\(name), stored twice"] = told } else { facts[name] = told }
        }
    }

    private mutating func addExperiments(_ installation: Installation) async throws {
        let output = try await installation.succeed(
            "experiments", "results", "--app", Installation.app, Stage.experiment.rawValue, "--traffic", "unverified",
            "--json")
        let results = try JSONDecoder().decode(JSONValue.self, from: Data(output.output.utf8))
        for member in ["variants", "users", "usersOfSeveralVariants", "missingSKUs", "apart", "state"] {
            facts["experiment: \(member)"] = Self.normal(results[member] ?? .null)
        }
        for experiment in try await Self.list(installation, "experiments", "list", "--app", Installation.app) {
            let id = experiment["id"]?.string ?? ""
            facts["experiment \(id)"] = .object([
                "state": experiment["state"] ?? .null, "coverage": experiment["coverage"] ?? .null,
                "name": experiment["name"] ?? .null,
            ])
        }
    }

    private mutating func addDead(_ installation: Installation) async throws {
        var next: String?
        repeat {
            var arguments = ["dead", "list", "--limit", "1000", "--json"]
            if let next { arguments += ["--after", next] }
            let output = try await installation.tool(arguments)
            let page = try JSONDecoder().decode(JSONValue.self, from: Data(output.output.utf8))
            guard case .array(let letters)? = page["letters"], page["silent"] == .array([]) else {
                throw TestFailure("\(arguments): \(output.output.suffix(300))\(output.errors)")
            }
            for entry in letters {
                let letter = entry["letter"] ?? .null
                facts["dead letter \(letter["id"]?.string ?? "") \(entry["service"]?.string ?? "")"] = .object([
                    "kind": letter["kind"] ?? .null, "reason": letter["reason"] ?? .null,
                ])
            }
            next = page["next"]?.string
        } while next != nil
    }

    private mutating func addPlacements(_ installation: Installation) async throws {
        for placement in try await Self.list(installation, "placements", "list", "--app", Installation.app) {
            facts["placement \(placement["placement"]?.string ?? "")"] = placement["entitlement"] ?? .null
        }
    }

    private static func chain(_ original: String, _ stage: Stage) async throws -> JSONValue {
        let question = ChainHistory(
            organisation: Stage.organisation, realm: Realm(Stage.app),
            originalTransactionID: OriginalTransactionID(rawValue: original))
        var found = JSONValue.null
        try await stage.insist("the chain \(original)") {
            guard case .applied(let view)? = try? await stage.operatorTool.ask(question, within: .seconds(5)) else {
                return "no answer"
            }
            let claimants = Set(view.claims.map { "\($0.user) \($0.rank)" }).sorted()
            found = .object([
                "holder": view.link.map { .string("\($0.user) \($0.rank)") } ?? .null,
                "claims": .array(claimants.map(JSONValue.string)),
            ])
            return nil
        }
        return found
    }

    private static func list(_ installation: Installation, _ arguments: String...) async throws -> [JSONValue] {
        let output = try await installation.tool(arguments + ["--json"])
        guard output.status == 0 else { throw TestFailure("\(arguments): \(output.errors)") }
        return try JSONDecoder().decode([JSONValue].self, from: Data(output.output.utf8))
    }

    private static func answer(_ path: String, _ installation: Installation) async throws -> JSONValue {
        var last = "no answer"
        for _ in 0..<50 {
            if let response = try? await installation.get(path) {
                last = "\(response.status) \(response.text)"
                if response.status == 404 { return "nobody" }
                if response.status == 200 {
                    return normal(try JSONDecoder().decode(JSONValue.self, from: Data(response.body)))
                }
            }
            // It answers 503 while it looks for a way.
            try await Task.sleep(for: .milliseconds(200))
        }
        throw TestFailure("\(path): \(last)")
    }

    /// Which are there, not what they say: runs are at different times.
    private static let times: Set<String> = [
        "firstSeen", "lastSeen", "since", "until", "purchasedAt", "expiresAt", "revokedAt", "at", "from", "to",
    ]

    private static func normal(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members):
            .object(
                members.reduce(into: [:]) { all, member in
                    all[member.key] = times.contains(member.key) ? "some time" : normal(member.value)
                })
        case .array(let values): .array(values.map(normal))
        default: value
        }
    }

    /// How another state differs from this one, by name.
    func differences(to other: FinalState) -> [String] {
        Set(facts.keys).union(other.facts.keys).sorted().compactMap { name in
            switch (facts[name], other.facts[name]) {
            case (let before?, let after?):
                let differences = before.differences(to: after)
                return differences.isEmpty ? nil : "\(name): \(differences.prefix(5).joined(separator: "; "))"
            case (nil, let after?): return "\(name): is there only with faults: \(after)"
            case (let before?, nil): return "\(name): is not there with faults: \(before)"
            case (nil, nil): return nil
            }
        }
    }
}
