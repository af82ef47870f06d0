import Foundation
import JSON
import Messages
import TestSupport
import Testing
import Tollgate

@Suite("The AsyncAPI document")
struct AsyncAPITests {
    static let document = Result { try AsyncAPIDocument(Topology.Layout()).value() }

    static let kinds =
        Catalogue.kinds.map(\.kind) + Catalogue.ofPartitions.map { $0.kind } + [
            PublisherCheckpoint.kind, PartitionReportGet.kind,
        ]

    @Test("Every kind has a sentence, a schema, an example, and a line that pushes it", arguments: kinds)
    func complete(kind: MessageKind) throws {
        let document = try Self.document.get()
        let message = try #require(document["components"]?["messages"]?[kind.rawValue])

        #expect(message["summary"]?.string?.hasSuffix(".") == true, "add \(kind) to MessageExample")
        guard case .array(let examples) = message["examples"], let example = examples.first?["payload"] else {
            Issue.record("\(kind) has no example")
            return
        }
        #expect(JSONSchema(in: document).faults(of: example, as: message["payload"] ?? .null) == [])
        #expect(message["x-publish"]?["command"]?.string?.contains("-H 'kind: \(kind)'") == true)
    }

    @Test("Every golden file is as the schema of its kind says, and has no member beside")
    func golden() throws {
        let document = try Self.document.get()
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../MessagesTests/Golden")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(names.count > 80)

        for name in names {
            let parts = name.split(separator: ".")
            let version = try #require(parts.firstIndex { $0.first == "v" && $0.dropFirst().allSatisfy(\.isNumber) })
            let kind = parts.prefix(through: version).joined(separator: ".")
            let message = parts.contains("answer") ? "\(kind).answer" : kind
            let schema = try #require(document["components"]?["messages"]?[message]?["payload"], "\(message)")
            let value = try JSONDecoder().decode(
                JSONValue.self, from: Data(contentsOf: folder.appendingPathComponent(name)))

            #expect(JSONSchema(in: document).faults(of: value, as: schema) == [], "\(name)")
        }
    }

    @Test("A member that is missing, of another type, or not known to the type is found")
    func strict() throws {
        let document = try Self.document.get()
        let schema = try #require(document["components"]?["messages"]?["user.identify.v1"]?["payload"])
        let good: [String: JSONValue] = ["organisation": "o", "app": "a", "user": "u", "trust": "unverified"]
        func faults(_ changes: [String: JSONValue?]) -> [String] {
            let changed = good.mapValues(JSONValue?.some).merging(changes) { $1 }.compactMapValues { $0 }
            return JSONSchema(in: document).faults(of: .object(changed), as: schema)
        }

        #expect(faults([:]) == [])
        #expect(faults(["attributes": ["a": 1, "b": .null]]) == [])
        #expect(faults(["user": nil]).count == 1)
        #expect(faults(["user": 42]).count == 1)
        #expect(faults(["attributes": ["a": [1]]]).count == 1)
        #expect(faults(["colour": "red"]).count == 1)
    }

    @Test("Whatever refers to something refers to something that there is")
    func references() throws {
        let document = try Self.document.get()
        var count = 0
        func walk(_ value: JSONValue) {
            switch value {
            case .object(let members):
                if let reference = members["$ref"]?.string {
                    count += 1
                    #expect(JSONSchema(in: document).resolve(reference) != nil, "\(reference)")
                }
                members.values.forEach(walk)
            case .array(let elements): elements.forEach(walk)
            default: break
            }
        }

        walk(document)

        #expect(count > 300)
    }

    @Test("Every queue of the topology is a channel with its arguments and bindings, however it is cut")
    func queues() throws {
        let layout = Topology.Layout(partitions: [.receiptValidator: try #require(PartitionCount(rawValue: 4))])
        let topology = Topology(layout)
        let document = try AsyncAPIDocument(layout).value()

        for queue in topology.queues {
            let channel = try #require(document["channels"]?["queue.\(queue.name)"], "\(queue.name)")
            #expect(channel["address"] == .string(queue.name))
            #expect(channel["x-arguments"]?["x-queue-type"] == "quorum")
            guard case .array(let bindings) = channel["x-bindings"] else {
                Issue.record("\(queue.name) has no bindings")
                continue
            }
            #expect(bindings.count == topology.bindings.count { $0.queue == queue.name })
        }
        #expect(document["channels"]?["queue.receipt-validator.3"] != nil)
        #expect(
            document["channels"]?["queue.entitlement-resolver.0"]?["messages"]?["transaction.verified.v1"] != nil)
        #expect(document["operations"]?["entitlement-resolver.takes.user.identify.v1"]?["action"] == "receive")
        #expect(document["operations"]?["receipt-validator.tells.transaction.verified.v1"]?["action"] == "send")
    }

    @Test("An example goes to the bucket of its key")
    func bucket() throws {
        let publish = try #require(
            try Self.document.get()["components"]?["messages"]?["user.identify.v1"]?["x-publish"])

        #expect(publish["exchange"] == "tollgate.commands")
        let bucket = Bucket(of: "demo/user_42").number
        #expect(publish["routingKey"] == .string("entitlement-resolver.\(bucket)"))
    }

    @Test("The tool writes it without a broker, for people and for programs")
    func command() async throws {
        let tool = Tool(in: Surroundings(environment: [:]))

        let pretty = await tool.run(["topology", "asyncapi"])
        let line = await tool.run(["topology", "asyncapi", "--json"])

        #expect(pretty.status == .success && line.status == .success, "\(pretty.complaint)")
        #expect(pretty.output.contains("\n  \"asyncapi\" : \"3.0.0\""))
        #expect(!line.output.contains("\n"))
        let values = try [pretty, line].map { try JSONDecoder().decode(JSONValue.self, from: Data($0.output.utf8)) }
        #expect(values[0] == values[1])
    }
}
