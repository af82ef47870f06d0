internal import FoundationEssentials

/// A query or request that every partition of every service answers, besides its service's own kinds: for the operator's
/// tool alone, for there are the bodies of messages in the answers.
///
/// It is addressed by service and partition, not by a key.
public protocol PartitionMessage: Codable, Sendable, Hashable {
    /// What the answer carries when all went well.
    associatedtype Value: Codable & Sendable
    /// Name and version.
    static var kind: MessageKind { get }
    /// Which partition.
    var partition: Int { get }
}

/// Bytes as they stand in JSON: as text where they are UTF-8, else as base64, so that both people and programs get them
/// whole. A zero is no text either: many readers of JSON do not take it; nor is what would be longer as text, for nearly all
/// of it had to be escaped.
public struct Octets: Sendable, Hashable, Codable {
    /// The bytes.
    public var bytes: [UInt8]

    /// These bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Their text; nil where they are not UTF-8.
    public var text: String? { String(validating: bytes, as: UTF8.self) }

    private enum CodingKeys: String, CodingKey {
        case text, base64
    }

    /// From `{"text": …}` or `{"base64": …}`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try container.decodeIfPresent(String.self, forKey: .text) {
            bytes = Array(text.utf8)
        } else {
            bytes = Array(try container.decode(Data.self, forKey: .base64))
        }
    }

    /// Base64 takes a third more.
    private var isShortAsText: Bool {
        var most = 32 + bytes.count / 3
        for byte in bytes where byte < 0x20 || byte == 0x22 || byte == 0x5C {
            guard byte != 0 else { return false }
            most -= byte < 0x20 && !(0x08...0x0D).contains(byte) ? 5 : 1
            if most < 0 { return false }
        }
        return true
    }

    /// As `{"text": …}` or `{"base64": …}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if let text, isShortAsText {
            try container.encode(text, forKey: .text)
        } else {
            try container.encode(Data(bytes), forKey: .base64)
        }
    }
}
