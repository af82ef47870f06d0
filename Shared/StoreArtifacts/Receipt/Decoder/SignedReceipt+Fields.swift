internal import Crypto
internal import FoundationEssentials
public import JSON

extension SignedReceipt {
    /// All that it says, under the names of Apple's verifyReceipt where it has one. Dates are in UTC; those that are
    /// there and say nothing are null. What is not there has no member.
    ///
    /// - Parameter device: With one, `device_hash` tells whether the receipt is of it.
    public func fields(device: DeviceIdentifier? = nil) -> [String: JSONValue] {
        guard var attributes = try? ReceiptAttributes(payload: container.content) else { return [:] }
        var fields: [String: JSONValue] = [:]
        var purchases: [JSONValue] = []
        while let attribute = try? attributes.next() {
            if attribute.type == 17 {
                purchases.append(.object(Self.purchase(attribute)))
            } else if let (name, value) = Self.value(of: attribute, in: Self.appFields) {
                fields[name] = value
            }
        }
        fields["in_app"] = .array(purchases)
        fields["in_app_count"] = .integer(Int64(purchases.count))
        fields["opaque_value_hex"] = .string(receipt.opaqueValue.hexadecimal)
        fields["sha1_hash_hex"] = .string(receipt.deviceHash.hexadecimal)
        fields["signature_digest"] = .string(digest.rawValue)
        if let device { fields["device_hash"] = .string(receipt.isOf(device) ? "ok" : "mismatch") }
        return fields
    }

    private static func purchase(_ attribute: ReceiptAttributes.Attribute) -> [String: JSONValue] {
        guard var attributes = try? ReceiptAttributes(attribute) else { return [:] }
        var fields: [String: JSONValue] = [:]
        while let attribute = try? attributes.next() {
            guard let (name, value) = value(of: attribute, in: purchaseFields) else { continue }
            fields[name] = value
        }
        return fields
    }

    private static func value(
        of attribute: ReceiptAttributes.Attribute, in names: [Int64: Field]
    ) -> (String, JSONValue)? {
        switch names[attribute.type] {
        case .text(let name): (try? attribute.text()).map { (name, .string($0)) }
        case .number(let name): (try? attribute.integer()).map { (name, .interoperable($0)) }
        case .date(let name):
            (name, (try? attribute.lenientDate()).flatMap { $0 }.map { .string($0.formatted(.iso8601)) } ?? .null)
        case nil: nil
        }
    }

    private enum Field {
        case text(String)
        case number(String)
        case date(String)
    }

    private static let appFields: [Int64: Field] = [
        0: .text("receipt_type"), 1: .number("app_item_id"), 2: .text("bundle_id"), 3: .text("application_version"),
        10: .text("age_rating"), 12: .date("receipt_creation_date"), 15: .number("download_id"),
        16: .number("version_external_identifier"), 18: .date("original_purchase_date"),
        19: .text("original_application_version"), 21: .date("expiration_date"),
    ]

    private static let purchaseFields: [Int64: Field] = [
        1701: .number("quantity"), 1702: .text("product_id"), 1703: .text("transaction_id"),
        1704: .date("purchase_date"), 1705: .text("original_transaction_id"), 1706: .date("original_purchase_date"),
        1708: .date("expires_date"), 1711: .number("web_order_line_item_id"), 1712: .date("cancellation_date"),
        1713: .number("is_trial_period"), 1719: .number("is_in_intro_offer_period"),
        1721: .text("promotional_offer_id"),
    ]
}
