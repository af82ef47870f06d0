public import Crypto
public import FoundationEssentials

/// An App Store receipt to be made: as Apple's for a tester, unless something is changed.
public struct ReceiptDesign: Sendable {
    /// Attribute 0: `Production`, `ProductionSandbox`, `Xcode`, or anything else.
    public var environment = "ProductionSandbox"
    /// Attribute 1, 0 for testers.
    public var appStoreID: Int64 = 0
    /// Attribute 2.
    public var bundleID: String
    /// Attribute 3: the build's number on iOS.
    public var appVersion = "1"
    /// Attribute 4.
    public var opaqueValue: [UInt8]
    /// Goes into attribute 5: 16 bytes of an `identifierForVendor`, or 6 of a Mac's network address.
    public var deviceIdentifier = [UInt8](repeating: 0xD0, count: 16)
    /// Attribute 10.
    public var ageRating = "4+"
    /// Attribute 12: whole seconds.
    public var createdAt: Date
    /// Attribute 15, beyond 32 bits in production.
    public var downloadID: Int64 = 0
    /// Attribute 16.
    public var installerVersionID: Int64 = 0
    /// Attribute 18; 2013-08-01 07:00 for testers.
    public var originalPurchaseDate: Date? = Date(timeIntervalSince1970: 1_375_340_400)
    /// Attribute 19.
    public var originalAppVersion: String? = "1.0"
    /// Attribute 21, of volume purchases.
    public var expirationDate: Date?
    /// Attributes 17.
    public var purchases: [ReceiptPurchase] = []
    /// What is not as it should be.
    public var changes = ReceiptChanges()
    /// Wraps the whole into one more octet string, as Xcode does.
    public var isWrapped = false

    /// A receipt without purchases.
    public init(bundleID: String, createdAt: Date) {
        self.bundleID = bundleID
        self.createdAt = createdAt
        self.opaqueValue = Array(Digest.sha256(bundleID.utf8).prefix(16))
    }

    /// SHA-1 of device, opaque value and bundle id, the last with tag and length: ties the receipt to a device.
    public var deviceHash: [UInt8] { Digest.sha1(deviceIdentifier + opaqueValue + DERWriter.utf8(bundleID)) }

    /// What is signed.
    public var payload: [UInt8] {
        var attributes: [ReceiptAttribute] = [
            .text(0, environment), .integer(1, appStoreID), .text(2, bundleID), .text(3, appVersion),
            ReceiptAttribute(4, version: 2, bytes: opaqueValue), ReceiptAttribute(5, bytes: deviceHash),
            // Nobody outside Apple knows what these are.
            ReceiptAttribute(6, bytes: Digest.sha256(opaqueValue) + Digest.sha256(opaqueValue).prefix(22)),
            ReceiptAttribute(7, bytes: Digest.sha256(deviceHash) + Digest.sha256(deviceHash).prefix(31)),
            .date(8, createdAt), .integer(9, 20_563), .ascii(10, ageRating), .integer(11, 0), .date(12, createdAt),
            .integer(13, 180_602), .integer(14, 229), .integer(15, downloadID), .integer(16, installerVersionID),
            .text(20, ""), .integer(25, 3),
        ]
        if let originalPurchaseDate { attributes.append(.date(18, originalPurchaseDate)) }
        if let originalAppVersion { attributes.append(.text(19, originalAppVersion)) }
        if let expirationDate { attributes.append(.date(21, expirationDate)) }
        attributes += purchases.map { ReceiptAttribute(17, bytes: $0.encoded) }
        let set = changes.set(of: attributes)
        return isWrapped ? DERWriter.octets(set) : set
    }
}

extension TestAuthority {
    /// Signs a receipt as Apple does: RSA, three certificates, no signed attributes.
    public func signReceipt(_ receipt: ReceiptDesign, digest: Digest.Algorithm = .sha256) throws -> [UInt8] {
        try SignedDataDesign(receipt.payload, signedBy: try receiptSigner, digest: digest).encoded()
    }
}
