import Foundation
import Messages
import Testing

/// The files in the folder beside this one: `<kind>.json`, where need be `<kind>.least.json` without all that may be
/// absent and `<kind>.full.json` with all that came later (or another word for what), and the same of answers:
/// `<kind>.answer.json`, ….
enum Golden {
    /// What travels under each kind.
    static let bodies: [String: any (Codable & Sendable).Type] = {
        let ofTheLane: [(MessageKind, any (Codable & Sendable).Type)] = [
            (PublisherCheckpoint.kind, PublisherCheckpoint.self), (PartitionReportGet.kind, PartitionReportGet.self),
        ]
        let others =
            Catalogue.kinds.map { ($0.kind, $0.body as any (Codable & Sendable).Type) }
            + Catalogue.ofPartitions.map { ($0.kind, $0 as any (Codable & Sendable).Type) }
        return Dictionary(uniqueKeysWithValues: (ofTheLane + others).map { ($0.0.rawValue, $0.1) })
    }()

    /// What comes back.
    static let answers: [String: any (Codable & Sendable).Type] = {
        func answer<M: AddressedMessage>(to type: M.Type) -> any (Codable & Sendable).Type { Answer<M.Value>.self }
        func answer<M: PartitionMessage>(to type: M.Type) -> any (Codable & Sendable).Type { Answer<M.Value>.self }
        var answers: [String: any (Codable & Sendable).Type] = [
            PartitionReportGet.kind.rawValue: Answer<PartitionReport>.self
        ]
        for kind in Catalogue.kinds {
            guard let type = kind.body as? any AddressedMessage.Type else { continue }
            answers[kind.kind.rawValue] = answer(to: type)
        }
        for type in Catalogue.ofPartitions { answers[type.kind.rawValue] = answer(to: type) }
        return answers
    }()

    /// What the file of this name is of; nil where there is no such kind.
    static func type(of name: String) -> (any (Codable & Sendable).Type)? {
        let kind = Self.kind(of: name)
        return name.dropFirst(kind.count).hasPrefix(".answer") ? answers[kind] : bodies[kind]
    }

    /// `dead.page.v1` of `dead.page.v1.answer.full`: up to its version.
    static func kind(of name: String) -> String {
        let parts = name.split(separator: ".")
        let version =
            parts.firstIndex { $0.first == "v" && $0.dropFirst().allSatisfy(\.isNumber) } ?? parts.endIndex - 1
        return parts.prefix(through: version).joined(separator: ".")
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Golden")

    /// The bytes of a file, less the line feed at its end.
    static func body(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appendingPathComponent("\(name).json")).dropLast())
    }

    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(".json".count)) }.sorted()
    }

    static func read<Value: Codable>(_ type: Value.Type, _ name: String) throws {
        _ = try MessageJSON.decode(Value.self, from: try body(name))
    }

    static func expectRoundTrip<Value: Codable>(_ type: Value.Type, _ name: String) throws {
        let bytes = try body(name)

        let written = try MessageJSON.encode(try MessageJSON.decode(Value.self, from: bytes))

        #expect(
            written == bytes,
            "\(name): \(String(decoding: written, as: UTF8.self)) is not \(String(decoding: bytes, as: UTF8.self))")
    }
}
