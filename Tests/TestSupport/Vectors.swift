public import Foundation
public import JSON

/// Genuine and tampered artifacts with the right answer for each. They belong to others, and are read where they are:
/// in the folder `TOLLGATE_VECTORS`, which is `../shared/vectors` from the package unless it is set.
public enum Vectors {
    /// Where they are looked for.
    public static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["TOLLGATE_VECTORS"] { return URL(filePath: path) }
        return BuiltExecutable.packageFolder.appending(path: "../shared/vectors").standardized
    }()

    /// Whether they are there; tests that need them are skipped otherwise.
    public static let areThere = FileManager.default.fileExists(atPath: folder.appending(path: "manifest.json").path())

    /// All entries of these kinds; none if there are no vectors.
    public static func entries(ofKinds kinds: Set<String>) -> [Vector] { entries.filter { kinds.contains($0.kind) } }

    /// All of them; none if there are no vectors.
    public static let entries: [Vector] = {
        guard let data = try? Data(contentsOf: folder.appending(path: "manifest.json")),
            let manifest = try? JSONDecoder().decode(Manifest.self, from: data)
        else { return [] }
        return manifest.vectors
    }()

    /// A file that an entry names, such as a root, as it is.
    public static func file(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: folder.appending(path: path)))
    }

    private struct Manifest: Decodable {
        let vectors: [Vector]
    }
}

/// One entry of the manifest.
public struct Vector: Decodable, Sendable, CustomStringConvertible {
    /// Its name.
    public let id: String
    /// What it is, such as `jws-transaction`.
    public let kind: String
    /// Under which conditions it has to be verified.
    public let verify: [String: JSONValue]
    /// The right answer.
    public let expect: Expectation
    private let file: String
    private let encoding: String

    /// The right answer.
    public struct Expectation: Decodable, Sendable {
        /// `valid` or `invalid`.
        public let outcome: String
        /// Any of them is right.
        public let reasonCodes: [String]
        /// What has to come out of it, among others.
        public let fields: [String: JSONValue]?
        private let fieldsFile: String?

        private enum CodingKeys: String, CodingKey {
            case outcome, fields
            case reasonCodes = "reason_codes"
            case fieldsFile = "fields_file"
        }

        /// Everything that has to come out of it, where the manifest names a file for that.
        public func allFields() throws -> [String: JSONValue]? {
            guard let fieldsFile else { return nil }
            return try JSONDecoder().decode([String: JSONValue].self, from: Data(try Vectors.file(fieldsFile)))
        }
    }

    /// Where it is.
    public var path: String { Vectors.folder.appending(path: file).path() }

    /// The artifact itself.
    public func bytes() throws -> [UInt8] {
        let bytes = try Vectors.file(file)
        guard encoding == "base64" else { return bytes }
        return Array(Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters) ?? Data())
    }

    /// A text among the conditions.
    public func condition(_ name: String) -> String? {
        if case .string(let text) = verify[name] { text } else { nil }
    }

    /// A whole number among the conditions.
    public func number(_ name: String) -> Int64? {
        if case .integer(let number) = verify[name] { number } else { nil }
    }

    /// Where the roots to trust are.
    public var rootNames: [String] {
        if case .array(let names) = verify["roots"] { names.compactMap(\.string) } else { [] }
    }

    /// The roots to trust, in DER or PEM.
    public func roots() throws -> [[UInt8]] { try rootNames.map(Vectors.file) }

    /// The name, so that a failing case says which it is.
    public var description: String { id }
}
