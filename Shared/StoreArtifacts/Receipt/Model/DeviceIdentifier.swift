internal import Crypto
internal import FoundationEssentials

/// What ties a receipt to a device: the vendor's identifier of an iPhone or iPad, or the network address of a Mac.
public struct DeviceIdentifier: Hashable, Sendable {
    /// 16 bytes of `identifierForVendor`, or 6 of the address of a Mac's built-in interface (Catalyst as well).
    public let bytes: [UInt8]

    /// `nil` unless there are 16 or 6 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == 16 || bytes.count == 6 else { return nil }
        self.bytes = bytes
    }

    /// A UUID or a network address as text: hexadecimal digits in either case, with or without `-` or `:` between the
    /// groups. `nil` for anything else.
    public init?(_ text: String) {
        let groups = text.split(separator: text.contains(":") ? ":" : "-", omittingEmptySubsequences: false)
        let lengths = groups.map(\.utf8.count)
        let isUUID = lengths == [32] || lengths == [8, 4, 4, 4, 12]
        guard isUUID || lengths == [12] || lengths == [2, 2, 2, 2, 2, 2] else { return nil }
        let digits = groups.joined(separator: "").utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == lengths.reduce(0, +) else { return nil }
        self.init(bytes: stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) })
    }
}

extension Receipt {
    /// Whether the receipt was made on this device: SHA-1 of its identifier, the opaque value, and the bundle id with tag
    /// and length.
    ///
    /// It fails for honest customers, too: after a backup is restored to another device, after all of a vendor's apps
    /// were installed anew, after an app went to another vendor.
    public func isOf(_ device: DeviceIdentifier) -> Bool {
        Digest.sha1(device.bytes + opaqueValue + bundleIDBytes) == deviceHash
    }
}
