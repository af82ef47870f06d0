internal import Crypto
internal import FoundationEssentials
internal import Glibc
internal import StoreArtifacts

/// A story as files: what the store signed, a list of it, and what has to come out.
public enum StoryFolder {
    /// The list of files.
    public static let index = "scenario.json"
    /// What has to come out.
    public static let expected = "expected.json"
    /// Under which everything is signed.
    public static let root = "root.pem"
    /// Checks the purchases of Google and AppCoins, if there are any.
    public static let purchaseKey = "purchase-key.pem"
    /// Stands in every index, so that a folder of ours can be told from another one.
    public static let maker = "tollgate generate"

    /// Everything in a folder that is there and empty.
    ///
    /// - Returns: How many documents there are.
    /// - Throws: ``TestAuthority/FolderError``, also when a file is there already.
    @discardableResult
    public static func write(_ story: Story, to folder: String, signedBy authority: TestAuthority) throws -> Int {
        var files: [StoryIndex.File] = []
        for (number, event) in story.events.enumerated() {
            for (document, name) in zip(event.documents, names(of: event, number: number + 1)) {
                try write(try document.signed(by: authority), to: "\(folder)/\(name)")
                files.append(StoryIndex.File(name, document, of: event))
            }
        }
        try write(Array(authority.rootPEM.utf8), to: "\(folder)/\(root)")
        let hasPurchases = files.contains { $0.kind == ArtifactKind.purchase.rawValue }
        if hasPurchases {
            try write(Array(try pem(of: authority.purchaseKey.publicKey).utf8), to: "\(folder)/\(purchaseKey)")
        }
        let index = StoryIndex(story, files: files, purchaseKey: hasPurchases ? purchaseKey : nil)
        try write(try JSONPage.encode(index), to: "\(folder)/\(self.index)")
        try write(try JSONPage.encode(StoryTruth(story)), to: "\(folder)/\(expected)")
        return files.count
    }

    /// The names of all files that ``write(_:to:signedBy:)`` has put into a folder, by its index; `nil` for a folder
    /// that it has not made.
    public static func contents(of folder: String) -> Set<String>? {
        guard let data = try? Data(contentsOf: URL(filePath: "\(folder)/\(index)")),
            let listing = try? JSONDecoder().decode(Listing.self, from: data), listing.madeBy == maker,
            listing.files.allSatisfy({ !$0.file.contains("/") && !$0.file.hasPrefix(".") })
        else { return nil }
        return Set(listing.files.map(\.file)).union([index, expected, root, purchaseKey])
    }

    private struct Listing: Decodable {
        struct File: Decodable {
            let file: String
        }
        let madeBy: String
        let files: [File]
    }

    /// `03-renewed-transaction.jws`, with numbers at the end where one kind comes twice.
    private static func names(of event: StoreEvent, number: Int) -> [String] {
        let kinds = event.documents.map(\.kind)
        return event.documents.enumerated().map { index, document in
            var name = "\(number < 10 ? "0" : "")\(number)-\(event.name)"
            if event.name != document.kind.rawValue { name += "-\(document.kind.rawValue)" }
            if kinds.count(where: { $0 == document.kind }) > 1 {
                name += "-\(kinds[...index].count { $0 == document.kind })"
            }
            return "\(name).\(document.fileExtension)"
        }
    }

    private static func pem(of key: PublicKey) throws -> String {
        let text = Base64.standard.encode(try key.der)
        let lines = stride(from: 0, to: text.utf8.count, by: 64).map { String(text.dropFirst($0).prefix(64)) }
        return "-----BEGIN PUBLIC KEY-----\n\(lines.joined(separator: "\n"))\n-----END PUBLIC KEY-----\n"
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        guard NewFile.write(bytes, to: path, permissions: 0o644) else {
            throw TestAuthority.FolderError(
                operation: "write", path: path, reason: String(cString: strerror(errno)))
        }
    }
}

/// JSON for people and programs: members in order, times in RFC 3339 with milliseconds.
enum JSONPage {
    static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        }
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}
