internal import FoundationEssentials

extension Receipt {
    /// More than any customer ever has: the largest genuine receipts have some hundreds.
    static let mostPurchases = 20_000

    /// Reads what a receipt's container holds. Linear in its size.
    ///
    /// - Throws: ``Shortfall`` in the step `structure`: bytes that are not DER, a required attribute that is missing, one
    ///   that may be there once and is there twice, a value that cannot be read.
    init(payload: [UInt8]) throws(Shortfall) {
        do {
            self = try Decoding(payload).receipt()
        } catch let shortfall as Shortfall {
            throw shortfall
        } catch let error as DERError {
            throw .malformed("the receipt \(error)")
        } catch {
            throw .malformed("the receipt: \(error)")
        }
    }
}

/// A receipt on the way of being read.
private struct Decoding {
    private var environment: String?
    private var appStoreID: Int64?
    private var bundleID: String?
    private var bundleIDBytes: [UInt8] = []
    private var appVersion: String?
    private var opaqueValue: [UInt8]?
    private var deviceHash: [UInt8]?
    private var transactionDate: Date?
    private var fulfillmentToolVersion: Int64?
    private var ageRating: String?
    private var developerID: Int64?
    private var creationDate: Date?
    private var downloadID: Int64?
    private var installerVersionID: Int64?
    private var originalPurchaseDate: Date?
    private var originalAppVersion: String?
    private var expirationDate: Date?
    private var purchases: [InAppPurchase] = []
    private var isSeen: Set<Int64> = []

    /// What decides for whom and from whom a receipt is has to be told once: readers would differ in which they believe.
    private static let unique: Set<Int64> = [0, 2, 3, 4, 5, 12]

    init(_ payload: [UInt8]) throws {
        var attributes = try ReceiptAttributes(payload: payload)
        while let attribute = try attributes.next() {
            if Self.unique.contains(attribute.type), !isSeen.insert(attribute.type).inserted {
                throw Shortfall.malformed("attribute \(attribute.type) of the receipt is there twice")
            }
            try take(attribute)
        }
    }

    private mutating func take(_ attribute: ReceiptAttributes.Attribute) throws {
        switch attribute.type {
        case 0: environment = try attribute.text()
        case 1: appStoreID = try attribute.integer()
        case 2:
            bundleID = try attribute.text()
            bundleIDBytes = attribute.bytes
        case 3: appVersion = try attribute.text()
        case 4: opaqueValue = attribute.bytes
        case 5: deviceHash = attribute.bytes
        case 8: transactionDate = try attribute.lenientDate()
        case 9: fulfillmentToolVersion = try attribute.integer()
        case 10: ageRating = try attribute.text()
        case 11: developerID = try attribute.integer()
        case 12: creationDate = try attribute.date()
        case 15: downloadID = try attribute.integer()
        case 16: installerVersionID = try attribute.integer()
        case 17:
            guard purchases.count < Receipt.mostPurchases else {
                throw Shortfall.malformed("more than \(Receipt.mostPurchases) purchases")
            }
            purchases.append(try InAppPurchase(try ReceiptAttributes(attribute)))
        case 18: originalPurchaseDate = try attribute.date()
        case 19: originalAppVersion = try attribute.text()
        case 21: expirationDate = try attribute.date()
        // Some are known to exist and not what they mean (6, 7, 13, 14, 20, 25), others are not known yet.
        default: break
        }
    }

    func receipt() throws(Shortfall) -> Receipt {
        Receipt(
            environmentText: environment, appStoreID: appStoreID, bundleID: try required(bundleID, 2, "bundle id"),
            bundleIDBytes: bundleIDBytes, appVersion: try required(appVersion, 3, "version"),
            opaqueValue: try required(opaqueValue, 4, "opaque value"),
            deviceHash: try required(deviceHash, 5, "device hash"), transactionDate: transactionDate,
            fulfillmentToolVersion: fulfillmentToolVersion, ageRating: ageRating, developerID: developerID,
            creationDate: try required(creationDate, 12, "creation date"), downloadID: downloadID,
            installerVersionID: installerVersionID, originalPurchaseDate: originalPurchaseDate,
            originalAppVersion: originalAppVersion, expirationDate: expirationDate, purchases: purchases)
    }

    private func required<Value>(_ value: Value?, _ type: Int, _ name: String) throws(Shortfall) -> Value {
        guard let value else { throw .malformed("the receipt has no \(name) (attribute \(type))") }
        return value
    }
}
