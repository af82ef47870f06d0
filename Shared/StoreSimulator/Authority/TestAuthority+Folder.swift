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
        let path = "\(folder)/\(Self.fileName)"
        // Seen again below; here it saves the making of keys.
        if access(path, F_OK) == 0 {
            errno = EEXIST
            throw Self.failure("make", path)
        }
        let signers = try [rootSigner, intermediateSigner, leafSigner] + allParts()
        let texts = try signers.flatMap { [$0.certificate.pem, try $0.key.pem] }

        let unfinished = "\(path).\(getpid())"
        try Self.write(texts.joined(), to: unfinished)
        defer { unlink(unfinished) }
        // Appears under its name when it is complete, and not if that name is taken.
        guard link(unfinished, path) == 0 else { throw Self.failure("make", path) }
        unlink("\(folder)/\(Self.rootFileName)")
        try Self.write(root.pem, to: "\(folder)/\(Self.rootFileName)")
    }

    /// Reads what ``save(to:)`` has stored.
    ///
    /// What was stored before there were receipts has three certificates: the other parts are then made anew for each
    /// one that is read. What they sign is good under the same root, but ``purchaseKey`` is another one each time.
    public init(loadingFrom folder: String) throws {
        let path = "\(folder)/\(Self.fileName)"
        let text = try String(contentsOf: URL(filePath: path), encoding: .utf8)
        // Certificate and key by turns.
        let starts = text.ranges(of: "-----BEGIN ").map(\.lowerBound)
        let names = AuthorityParts.Name.allCases
        guard starts.count == 6 || starts.count == 6 + 2 * names.count else {
            throw FolderError(operation: "read", path: path, reason: "not all certificates with their keys")
        }
        let blocks = zip(starts, starts.dropFirst() + [text.endIndex]).map { String(text[$0..<$1]) }
        let pairs = try stride(from: 0, to: blocks.count, by: 2).map { index in
            (try Certificate(pem: blocks[index]), try PrivateKey(pem: blocks[index + 1]))
        }
        func signer(_ index: Int, above: [Certificate]) -> Signer {
            Signer(key: pairs[index].1, chain: [pairs[index].0] + above)
        }
        let root = signer(0, above: [])
        let intermediate = signer(1, above: root.chain)
        let leaf = signer(2, above: intermediate.chain)

        var made: [AuthorityParts.Name: Signer] = [:]
        if pairs.count > 3 {
            for (index, name) in names.enumerated() {
                let above: [Certificate] =
                    switch name {
                    case .receiptSigner: intermediate.chain
                    case .deviceAuthority, .integrationAuthority: root.chain
                    case .attestationReceiptSigner: made[.integrationAuthority]?.chain ?? []
                    case .purchaseKey: []
                    }
                made[name] = signer(3 + index, above: above)
            }
        }
        var design = Design()
        design.validity = root.certificate.notBefore...root.certificate.notAfter
        self.init(root: root, intermediate: intermediate, leaf: leaf, parts: AuthorityParts(design, made: made))
    }

    private static func write(_ text: String, to path: String) throws {
        guard NewFile.write(Array(text.utf8), to: path, permissions: 0o600) else { throw failure("write", path) }
    }

    private static func failure(_ operation: String, _ path: String) -> FolderError {
        FolderError(operation: operation, path: path, reason: String(cString: strerror(errno)))
    }
}
