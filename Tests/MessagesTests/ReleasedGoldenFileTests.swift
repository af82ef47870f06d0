import Crypto
import Foundation
import Messages
import Testing

/// Beside the golden files, `<release>.sha256` lists those that a release came out with: what may still wait in queues,
/// ladders and dead letters when the next one is started. In the folder, `sha256sum *.json > <release>.sha256` makes it
/// and `sha256sum -c` compares it; it is never edited.
@Suite("Golden files of earlier releases")
struct ReleasedGoldenFileTests {
    /// Kinds that a release had and this one reads no more. Whoever takes one out says here why nothing of it is left to
    /// be read.
    static let gone: [MessageKind: String] = [:]

    @Test("Every file of a release is there, unchanged, and is read", arguments: try releases())
    func unchanged(release: String) throws {
        let list = try String(contentsOf: Golden.folder.appendingPathComponent("\(release).sha256"), encoding: .utf8)
        let lines = list.split(separator: "\n")
        #expect(lines.count > 10)

        for line in lines {
            let parts = line.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
            let (digest, file) = try #require(parts.count == 2 ? (parts[0], parts[1]) : nil, "\(line)")
            let name = file.replacing(".json", with: "")
            if Self.gone[MessageKind(rawValue: Golden.kind(of: name))] != nil { continue }
            let bytes = try? Data(contentsOf: Golden.folder.appendingPathComponent(file))
            #expect(
                bytes.map { Digest.sha256($0).hexadecimal } == digest, "\(file) is not there as \(release) published it"
            )
            let type = try #require(Golden.type(of: name), "\(file): this release does not know the kind")
            #expect(throws: Never.self, "\(file) of \(release)") { try Golden.read(type, name) }
        }
    }

    @Test("Every release of the changelog has its list")
    func complete() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../CHANGELOG.md")
        let released = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("## ") && !$0.contains("not released") }.map { String($0.dropFirst(3)) }

        #expect(try Self.releases().sorted() == released.sorted())
        #expect(!released.isEmpty)
    }

    static func releases() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Golden.folder.path)
            .filter { $0.hasSuffix(".sha256") }.map { $0.replacing(".sha256", with: "") }
    }
}
