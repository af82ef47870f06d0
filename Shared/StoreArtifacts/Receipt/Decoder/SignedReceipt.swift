public import Crypto

/// A receipt with the signature on it: read, not believed until a ``ReceiptVerifier`` has looked at it.
public struct SignedReceipt: Sendable {
    /// What it says.
    public let receipt: Receipt
    let container: SignedContainer

    /// Longer ones are refused unread. Genuine ones reach some hundred kilobytes.
    public static let limit = 4 << 20

    /// Reads a receipt in DER or BER with nothing behind it.
    ///
    /// - Throws: What is wrong with it, as a sentence with a place. The same bytes fail again.
    public init(_ bytes: [UInt8], limit: Int = limit) throws {
        let container = try SignedContainer(bytes, limit: limit)
        self.receipt = try Receipt(payload: container.content)
        self.container = container
    }

    /// Over which digest it is signed: SHA-1 before 2023, SHA-256 since.
    public var digest: Digest.Algorithm { container.signer.digest }

    /// The certificates that came with it, in the order in which they were sent.
    ///
    /// - Throws: If one of them is none.
    public var certificates: [Certificate] { get throws { try container.certificates() } }

    /// Whether a single certificate came with it, as from Xcode: Apple sends three.
    public var hasSingleCertificate: Bool { container.certificateCount == 1 }
}
