internal import FoundationEssentials
internal import JSON
internal import StoreSimulator

/// Where `tollgate generate` writes: a new or an empty folder, or one that it has made itself.
struct GeneratedFolder {
    /// Lists the folders of `--scenario all`.
    static let index = "scenarios.json"

    private let path: String
    private let holdsFolders: Bool

    /// - Parameter holdsFolders: Whether there is a folder in it for each story.
    init(_ path: String, holdsFolders: Bool) {
        self.path = path
        self.holdsFolders = holdsFolders
    }

    /// Makes it, or empties it of what was generated there.
    ///
    /// - Throws: ``ToolFailure`` for a folder with anything else in it, of which nothing has been removed then.
    func prepare(for scenarios: [String], replacing isReplacing: Bool) throws(ToolFailure) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        if !names.isEmpty {
            let ours = try generated(names)
            guard isReplacing else {
                throw ToolFailure(
                    .failed, "\(path) holds what was generated before", advice: "--force puts the new in its place")
            }
            try doing("empty") { for file in ours { try FileManager.default.removeItem(atPath: file) } }
        }
        let folders = holdsFolders ? scenarios.map { "\(path)/\($0)" } : [path]
        try doing("make") {
            for folder in folders {
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            }
        }
    }

    /// Writes what stands beside the folders of the stories.
    func writeIndex(of stories: [Story], root: String) throws {
        let index = JSONValue.object([
            "madeBy": .string(StoryFolder.maker), "root": .string(StoryFolder.root),
            "scenarios": .array(stories.map { .string($0.scenario) }),
        ])
        try doing("write to") {
            try Data(try JSONCoding.encode(index)).write(to: URL(filePath: "\(path)/\(Self.index)"))
            try Data(root.utf8).write(to: URL(filePath: "\(path)/\(StoryFolder.root)"))
        }
    }

    /// Runs what writes into it.
    func writing<Value>(_ body: () throws -> Value) throws -> Value { try doing("write to", body) }

    /// Every path to remove, the folders behind what is in them.
    private func generated(_ names: [String]) throws(ToolFailure) -> [String] {
        guard names.contains(Self.index) else { return try generated(names, in: path) }
        guard let data = try? Data(contentsOf: URL(filePath: "\(path)/\(Self.index)")),
            let index = try? JSONCoding.decode(JSONValue.self, from: Array(data)),
            index["madeBy"]?.string == StoryFolder.maker
        else { throw Self.foreign(path, Self.index) }
        var paths: [String] = []
        for name in names where name != Self.index && name != StoryFolder.root {
            let folder = "\(path)/\(name)"
            guard Scenario.named(name) != nil else { throw Self.foreign(path, name) }
            let inside = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            paths += inside.isEmpty ? [] : try generated(inside, in: folder)
            paths.append(folder)
        }
        return paths + [Self.index, StoryFolder.root].filter(names.contains).map { "\(path)/\($0)" }
    }

    private func generated(_ names: [String], in folder: String) throws(ToolFailure) -> [String] {
        guard let ours = StoryFolder.contents(of: folder) else { throw Self.foreign(folder, names.min() ?? "") }
        if let stranger = names.filter({ !ours.contains($0) }).min() { throw Self.foreign(folder, stranger) }
        return names.map { "\(folder)/\($0)" }
    }

    private static func foreign(_ folder: String, _ name: String) -> ToolFailure {
        ToolFailure(
            .failed, "\(folder) is not empty: \(name.onOneLine) was not generated",
            advice: "--out names a new or an empty folder")
    }

    private func doing<Value>(_ operation: String, _ body: () throws -> Value) throws(ToolFailure) -> Value {
        do {
            return try body()
        } catch {
            // What Foundation says to an operation of its own is a number.
            let reason = (error as? TestAuthority.FolderError).map { ": \($0.reason)" } ?? ""
            throw ToolFailure(
                .failed, "cannot \(operation) \(path)\(reason)", advice: "--out names a folder that can be written to")
        }
    }
}
