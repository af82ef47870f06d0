internal import Crypto
internal import FoundationEssentials
internal import Glibc

extension TestAuthority {
    /// Why an authority could not be stored or read.
    public struct FolderError: Error, CustomStringConvertible {
        /// What was being done.
        public let operation: String
        /// With which file.
        public let path: String
        /// What the system says to it.
        public let reason: String

        /// For operators.
        public var description: String { "Cannot \(operation) \(path): \(reason)" }
    }

    /// The one file that holds everything.
    private static let fileName = "authority.pem"
    /// The root once more, for those who are to trust it.
    private static let rootFileName = "root.pem"

    /// Stores keys and certificates in a folder, which is made if need be. Only the owner can read them.
    ///
    /// - Throws: ``FolderError``, also when there is an authority already: what it has signed would be worthless.
    public func save(to folder: String) throws {
        if mkdir(folder, 0o700) != 0, errno != EEXIST { throw Self.failure("make the folder", folder) }
        let keys = try [rootKey, intermediateKey, leafKey].map { try $0.pem }
        let certificates = [root, intermediate, leaf].map(\.pem)
        let parts = zip(certificates, keys).flatMap { [$0, $1] }

        let path = "\(folder)/\(Self.fileName)"
        let unfinished = "\(path).\(getpid())"
        try Self.write(parts.joined(), to: unfinished)
        defer { unlink(unfinished) }
        // Appears under its name when it is complete, and not if that name is taken.
        guard link(unfinished, path) == 0 else { throw Self.failure("make", path) }
        unlink("\(folder)/\(Self.rootFileName)")
        try Self.write(root.pem, to: "\(folder)/\(Self.rootFileName)")
    }

    /// Reads what ``save(to:)`` has stored.
    public init(loadingFrom folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        let end = "-----END "
        // Certificate and key by turns: root, intermediate, signer.
        let starts = text.ranges(of: "-----BEGIN ").map(\.lowerBound)
        guard starts.count == 6, text.contains(end) else {
            throw FolderError(operation: "read", path: path, reason: "not three certificates with their keys")
        }
        let parts = zip(starts, starts.dropFirst() + [text.endIndex]).map { String(text[$0..<$1]) }
        self.init(
            root: try Certificate(pem: parts[0]), intermediate: try Certificate(pem: parts[2]),
            leaf: try Certificate(pem: parts[4]), rootKey: try PrivateKey(pem: parts[1]),
            intermediateKey: try PrivateKey(pem: parts[3]), leafKey: try PrivateKey(pem: parts[5]))
    }

    private static func write(_ text: String, to path: String) throws {
        let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failure("make", path) }
        defer { close(file) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count > 0 else { throw failure("write", path) }
            rest = rest.dropFirst(count)
        }
    }

    private static func failure(_ operation: String, _ path: String) -> FolderError {
        FolderError(operation: operation, path: path, reason: String(cString: strerror(errno)))
    }
}
