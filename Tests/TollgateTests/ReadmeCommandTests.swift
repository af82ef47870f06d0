import Foundation
import ServiceKit
import TestSupport
import Testing

@testable import Tollgate

@Suite("Commands in the READMEs")
struct ReadmeCommandTests {
    /// A command line, and where it stands.
    struct Line: CustomTestStringConvertible {
        var file: String
        var words: [String]
        var testDescription: String { "\(file): \(words.joined(separator: " "))" }
    }

    /// What stands in for options, as a demo has it.
    static let settings = [
        "TOLLGATE_ORGANISATION": "acme", "TOLLGATE_APP": "com.example.tunes", "TOLLGATE_BROKER": "amqp://localhost",
        "TOLLGATE_BROKER_MANAGEMENT": "http://localhost:15672", "TOLLGATE_AUTHORITY": "./authority",
        "TOLLGATE_URL": "http://localhost:8080", "TOLLGATE_KEY": "tk_1",
    ]

    @Test("Every line of shell that calls the tool is one that it takes", arguments: shellLines)
    func lines(line: Line) throws {
        let words = Array(line.words.dropFirst())
        guard let command = Tool.commands.first(where: { words.starts(with: $0.layout.path) }) else {
            // The tool's own, or those of a group.
            #expect(["--help", "--version"].contains(words.last))
            return
        }

        _ = try Arguments(
            Array(words.dropFirst(command.layout.path.count)), as: command.layout,
            settings: Settings(environment: Self.settings))
    }

    @Test("Every command that the text names is there", arguments: namedCommands)
    func names(line: Line) {
        let words = Array(line.words.dropFirst())
        let named = Tool.commands.first { words.starts(with: $0.layout.path) }
        #expect(named != nil || Tool.commands.contains { $0.layout.path.starts(with: words) })

        let options = words.map { $0.trimmingCharacters(in: ["[", "]"]) }.filter { $0.hasPrefix("--") }
        #expect(Set(options).isSubset(of: named?.layout.options.map(\.name) ?? []))
    }

    @Test("They are found: the README of the tool alone has more than twenty")
    func found() {
        #expect(Self.shellLines.count { $0.file == "Services/Tollgate/README.md" } > 20)
        #expect(Self.namedCommands.count > 20)
    }

    // MARK: Reading

    static let readmes: [(file: String, text: String)] = {
        let folder = BuiltExecutable.packageFolder
        let services = (try? FileManager.default.contentsOfDirectory(atPath: folder.path + "/Services")) ?? []
        let files = ["README.md", "CHANGELOG.md"] + services.sorted().map { "Services/\($0)/README.md" }
        return files.compactMap { file in
            (try? String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)).map { (file, $0) }
        }
    }()

    /// Those of the first README are run elsewhere, word by word.
    static let shellLines: [Line] = readmes.filter { $0.file.hasPrefix("Services/") }.flatMap { file, text in
        text.components(separatedBy: "```sh\n").dropFirst().flatMap { block in
            let code = (block.components(separatedBy: "```").first ?? "").replacing("\\\n", with: " ")
            return code.split(separator: "\n").flatMap(commands).map { Line(file: file, words: $0) }
        }
    }

    static let namedCommands: [Line] = readmes.flatMap { file, text in
        let prose = text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }
        return prose.flatMap { _, part in
            part.components(separatedBy: "`").enumerated().filter { !$0.offset.isMultiple(of: 2) }
                .map { $0.element.split(whereSeparator: \.isWhitespace).map(String.init) }
                .filter { $0.count > 1 && $0[0] == "tollgate" }
                .map { Line(file: file, words: $0) }
        }
    }

    /// The calls of the tool in a line of shell, as words: as much of the shell's language as READMEs need.
    private static func commands(in line: Substring) -> [[String]] {
        var commands: [[String]] = [[]]
        var word: String?
        var quote: Character?
        for character in line {
            switch (quote, character) {
            case (character, _): quote = nil
            case (.some, _): word = (word ?? "") + String(character)
            case (nil, "'"), (nil, "\""):
                quote = character
                word = word ?? ""
            case (nil, "#") where word == nil: return commands.filter { $0.first?.hasSuffix("tollgate") == true }
            case (nil, "|"), (nil, ";"), (nil, "&"), (nil, ">"):
                if let word { commands[commands.count - 1].append(word) }
                word = nil
                commands.append([])
            case (nil, " "):
                if let word { commands[commands.count - 1].append(word) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let word { commands[commands.count - 1].append(word) }
        return commands.filter { $0.first?.hasSuffix("tollgate") == true }
    }
}
