import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Decoding receipts")
struct ReceiptDecodingTests {
    let sample: ReceiptSample

    init() throws { sample = try ReceiptSample() }

    func decode(_ change: (inout ReceiptDesign) -> Void) throws -> Receipt {
        try SignedReceipt(sample.signed(change)).receipt
    }

    func decodePurchase(_ change: (inout ReceiptPurchase) -> Void) throws -> InAppPurchase {
        try #require(try decode { $0.purchases = [ReceiptSample.purchase(change)] }.purchases.first)
    }

    @Test("Every attribute of a receipt is read")
    func receipt() throws {
        let receipt = try decode { design in
            design.environment = "Production"
            design.appStoreID = 1_234_567_890
            design.appVersion = "42"
            design.ageRating = "17+"
            design.downloadID = 9_007_199_254_740_993
            design.installerVersionID = 77
            design.originalPurchaseDate = ReceiptSample.now - 1000
            design.originalAppVersion = ""
            design.expirationDate = ReceiptSample.now + 1000
            design.changes.replace(with: .integer(11, -5))
        }

        let design = ReceiptSample.design()
        #expect(receipt.environmentText == "Production")
        #expect(receipt.environment == .production)
        #expect(receipt.appStoreID == 1_234_567_890)
        #expect(receipt.bundleID == ReceiptSample.bundleID)
        #expect(receipt.bundleIDBytes == [0x0C, 15] + Array(ReceiptSample.bundleID.utf8))
        #expect(receipt.appVersion == "42")
        #expect(receipt.opaqueValue == design.opaqueValue)
        #expect(receipt.deviceHash == design.deviceHash)
        #expect(receipt.transactionDate == ReceiptSample.now)
        #expect(receipt.fulfillmentToolVersion == 20_563)
        #expect(receipt.ageRating == "17+")
        #expect(receipt.developerID == -5)
        #expect(receipt.creationDate == ReceiptSample.now)
        #expect(receipt.downloadID == 9_007_199_254_740_993)
        #expect(receipt.installerVersionID == 77)
        #expect(receipt.originalPurchaseDate == ReceiptSample.now - 1000)
        #expect(receipt.originalAppVersion == "")
        #expect(receipt.expirationDate == ReceiptSample.now + 1000)
        #expect(receipt.purchases.isEmpty)
    }

    @Test("Every attribute of a purchase is read")
    func purchase() throws {
        let purchase = try decodePurchase({ design in
            design.quantity = 3
            design.originalTransactionID = "999"
            design.originalPurchaseDate = ReceiptSample.now + 5
            design.productType = 3
            design.expiresDate = ReceiptSample.now + 3600
            design.webOrderLineItemID = 9_007_199_254_740_995
            design.cancellationDate = ReceiptSample.now + 7
            design.isTrialPeriod = true
            design.isIntroductoryPeriod = true
            design.promotionalOfferID = "winback"
        })

        #expect(purchase.quantity == 3)
        #expect(purchase.productID == "pro")
        #expect(purchase.transactionID == "1000")
        #expect(purchase.purchaseDate == ReceiptSample.now)
        #expect(purchase.originalTransactionID == "999")
        #expect(purchase.originalPurchaseDate == ReceiptSample.now + 5)
        #expect(purchase.productType == .autoRenewable)
        #expect(purchase.expirationDate == ReceiptSample.now + 3600)
        #expect(purchase.webOrderLineItemID == 9_007_199_254_740_995)
        #expect(purchase.cancellationDate == ReceiptSample.now + 7)
        #expect(purchase.isRefunded)
        #expect(purchase.isTrialPeriod)
        #expect(purchase.isIntroductoryPricePeriod)
        #expect(purchase.promotionalOfferID == "winback")
    }

    @Test("What a receipt cannot be without is named when it is missing", arguments: [2, 3, 4, 5, 12])
    func missing(type: Int64) throws {
        let verdict = try sample.verdict(try sample.signed { $0.changes.missing = [type] })

        #expect(verdict.words == "structure malformed")
        #expect(verdict.message.contains("attribute \(type)"))
    }

    @Test("Anything else may be missing", arguments: [0, 1, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 18, 19, 20, 25])
    func optional(type: Int64) throws {
        #expect(try sample.verdict(try sample.signed { $0.changes.missing = [type] }).words == "verified")
    }

    @Test("A receipt that does not tell its environment is from an unknown one")
    func noEnvironment() throws {
        let bytes = try sample.signed { $0.changes.missing = [0] }
        let anyOfApple = ReceiptVerifier(environments: [.production, .sandbox], roots: sample.roots)

        #expect(try SignedReceipt(bytes).receipt.environment == nil)
        #expect(try anyOfApple.verify(bytes, at: ReceiptSample.now).verdict.words == "environment wrong_environment")
    }

    @Test(
        "Each of Apple's words is an environment",
        arguments: [
            ("Production", AppleEnvironment.production), ("ProductionVPP", .production),
            ("ProductionSandbox", .sandbox), ("ProductionVPPSandbox", .sandbox), ("Sandbox", .sandbox),
            ("Xcode", .xcode), ("LocalTesting", .localTesting), ("Moon", AppleEnvironment(rawValue: "Moon")),
        ])
    func environments(text: String, expected: AppleEnvironment) throws {
        #expect(try decode { $0.environment = text }.environment == expected)
    }

    @Test("What decides for whom a receipt is must not be there twice", arguments: [0, 2, 3, 4, 5, 12])
    func duplicates(type: Int64) throws {
        let attribute = type == 12 ? ReceiptAttribute.date(12, ReceiptSample.now) : .text(type, "x")

        let verdict = try sample.verdict(try sample.signed { $0.changes.extra = [attribute] })

        #expect(verdict.words == "structure malformed")
        #expect(verdict.message.contains("attribute \(type) of the receipt is there twice"))
    }

    @Test("What is not known is skipped, whatever it is")
    func unknown() throws {
        let bytes: [[UInt8]] = [[], [0x30], [0x30, 0x80], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x04, 0x02, 1]]
        let extra = bytes.enumerated().flatMap { index, bytes in
            [ReceiptAttribute(6, bytes: bytes), ReceiptAttribute(9000 + Int64(index), bytes: bytes)]
        }

        let receipt = try decode { design in
            design.changes.extra = extra
            design.purchases = [ReceiptSample.purchase { $0.changes.extra = extra }]
        }

        #expect(receipt.purchases.count == 1)
    }

    @Test("Opaque bytes that look like something are left alone")
    func opaque() throws {
        let receipt = try decode { design in
            design.opaqueValue = [0x30, 0x80, 0x00]
            design.changes.replace(with: ReceiptAttribute(5, bytes: [0x31, 0x84, 0xFF]))
        }

        #expect(receipt.opaqueValue == [0x30, 0x80, 0x00])
        #expect(receipt.deviceHash == [0x31, 0x84, 0xFF])
    }

    @Test(
        "A date is read in each form that is one",
        arguments: [
            ("2023-11-14T22:13:20Z", 1_700_000_000), ("2023-11-14T23:13:20+0100", 1_700_000_000),
            ("2023-11-14T23:13:20+01:00", 1_700_000_000), ("2023-11-14T14:43:20-0730", 1_700_000_000),
            ("2023-11-14T22:13:20.250Z", 1_700_000_000.25), ("2023-11-14T22:13:20.5+00:00", 1_700_000_000.5),
            ("1970-01-01T00:00:00Z", 0), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2000-02-29T23:59:59Z", 951_868_799), ("4001-01-01T00:00:00Z", 64_092_211_200),
            ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
        ])
    func dates(text: String, seconds: TimeInterval) throws {
        #expect(
            try decode { $0.changes.replace(with: .ascii(18, text)) }.originalPurchaseDate
                == Date(timeIntervalSince1970: seconds))
    }

    static let noDates = [
        "x", "2023-11-14", "2023-11-14T22:13:20", "2023-11-14 22:13:20Z", "2023-13-14T22:13:20Z",
        "2023-00-14T22:13:20Z", "2023-02-29T22:13:20Z", "2100-02-29T00:00:00Z", "2023-04-31T22:13:20Z",
        "2023-11-00T22:13:20Z", "2023-11-14T24:13:20Z", "2023-11-14T22:60:20Z", "2023-11-14T22:13:60Z",
        "2023-11-14T22:13:20.Z", "2023-11-14T22:13:20.1234567890Z", "2023-11-14T22:13:20Zx", "2023-11-14T22:13:20+1",
        "2023-11-14T22:13:20+24:00", "2023-11-14T22:13:20+0160", "+023-11-14T22:13:20Z", "２023-11-14T22:13:20Z",
        " 2023-11-14T22:13:20Z", "2023-11-14T22:13:20z\0",
    ]

    @Test("A text that is no date is an error where a date decides something", arguments: noDates)
    func badDates(text: String) throws {
        for type: Int64 in [12, 18, 21] {
            let bytes = try sample.signed { $0.changes.replace(with: .text(type, text)) }
            #expect(try sample.verdict(bytes).words == "structure malformed", "\(type)")
        }
        for type: Int64 in [1704, 1706] {
            let purchase = ReceiptSample.purchase { $0.changes.replace(with: .text(type, text)) }
            #expect(try sample.verdict(try sample.signed { $0.purchases = [purchase] }).words == "structure malformed")
        }
    }

    @Test(
        "A text that is no date is none where Apple's own readers let it pass, but of a cancellation enough to be one",
        arguments: ["x", "2023-11-14"])
    func lenientDates(text: String) throws {
        #expect(try decode { $0.changes.replace(with: .text(8, text)) }.transactionDate == nil)
        let purchase = try decodePurchase({ design in
            design.changes.replace(with: .text(1708, text))
            design.changes.replace(with: .text(1712, text))
        })
        #expect(purchase.expirationDate == nil)
        #expect(purchase.cancellationDate == nil && purchase.isRefunded)
    }

    @Test("The empty text is no date, and an error only where there has to be one")
    func emptyDates() throws {
        let receipt = try decode { design in
            for type: Int64 in [8, 18, 21] { design.changes.replace(with: .ascii(type, "")) }
            design.purchases = [
                ReceiptSample.purchase { purchase in
                    for type: Int64 in [1706, 1708, 1712] { purchase.changes.replace(with: .ascii(type, "")) }
                }
            ]
        }

        #expect(receipt.transactionDate == nil && receipt.originalPurchaseDate == nil && receipt.expirationDate == nil)
        let purchase = try #require(receipt.purchases.first)
        #expect(purchase.originalPurchaseDate == nil && purchase.expirationDate == nil && !purchase.isRefunded)
        #expect(try sample.verdict(sample.signed { $0.changes.replace(with: .ascii(12, "")) }).message.contains("12"))
        let none = ReceiptSample.purchase { $0.changes.replace(with: .ascii(1704, "")) }
        #expect(try sample.verdict(sample.signed { $0.purchases = [none] }).message.contains("1704"))
    }

    @Test("A purchase without its date is named")
    func noPurchaseDate() throws {
        let purchase = ReceiptSample.purchase { $0.changes.missing = [1704] }

        let verdict = try sample.verdict(try sample.signed { $0.purchases = [purchase] })

        #expect(verdict.words == "structure malformed")
        #expect(verdict.message.contains("attribute 1704"))
    }

    @Test("A purchase of which nothing but the date is told is read")
    func bare() throws {
        let purchase = try decodePurchase({ $0.changes.missing = Set(1701...1722).subtracting([1704]) })

        #expect(purchase.quantity == 1)
        #expect(purchase.productID == "" && purchase.transactionID == "")
        #expect(purchase.originalTransactionID == nil)
        #expect(purchase.productType == .unknown)
        #expect(!purchase.isTrialPeriod && !purchase.isIntroductoryPricePeriod)
    }

    @Test(
        "The type of a product follows from its expiration where it is not told",
        arguments: [
            (nil, true, InAppPurchase.ProductType.autoRenewable), (nil, false, .unknown), (0, true, .nonConsumable),
            (1, false, .consumable), (2, false, .nonRenewing), (4, false, .init(rawValue: 4)),
            (-1, true, .autoRenewable),
        ])
    func productTypes(type: Int64?, expires: Bool, expected: InAppPurchase.ProductType) throws {
        let purchase = try decodePurchase({ design in
            design.productType = type
            design.expiresDate = expires ? ReceiptSample.now + 60 : nil
        })

        #expect(purchase.productType == expected)
    }

    @Test(
        "The original transaction is the transaction where it is not told, but that of Xcode is none",
        arguments: [
            ("1000", "900", "900"), ("1000", nil, "1000"), ("1000", "", "1000"), ("0", nil, nil), ("0", "", nil),
            ("", nil, nil), ("0", "0", nil),
        ])
    func originalTransactions(transaction: String, original: String?, expected: String?) throws {
        let purchase = try decodePurchase({ design in
            design.transactionID = transaction
            design.originalTransactionID = original
        })

        #expect(purchase.originalTransactionID == expected)
    }

    @Test("A transaction id that is no text is none")
    func numericTransaction() throws {
        #expect(try decodePurchase({ $0.changes.replace(with: .integer(1703, 5)) }).transactionID == "")
    }

    @Test("Numbers have 64 bits", arguments: [0, 1, -1, 127, 128, -128, -129, .max, .min, 1 << 53, 1 << 31] as [Int64])
    func numbers(value: Int64) throws {
        #expect(try decode { $0.downloadID = value }.downloadID == value)
        #expect(try decodePurchase({ $0.webOrderLineItemID = value }).webOrderLineItemID == value)
    }

    @Test("A number may be written longer than need be, but not have more than 64 bits or none")
    func encodedNumbers() throws {
        let longer: [UInt8] = [0x02, 10] + [UInt8](repeating: 0, count: 9) + [5]
        let negative: [UInt8] = [0x02, 10] + [UInt8](repeating: 0xFF, count: 10)
        let positive: [UInt8] = [0x02, 9, 0] + [UInt8](repeating: 0xFF, count: 8)

        #expect(try decode { $0.changes.replace(with: ReceiptAttribute(15, bytes: longer)) }.downloadID == 5)
        #expect(try decode { $0.changes.replace(with: ReceiptAttribute(15, bytes: negative)) }.downloadID == -1)
        for bytes in [positive, [0x02, 9, 1] + [UInt8](repeating: 0, count: 8), [0x02, 0], [0x02, 1], [0x05, 0]] {
            #expect(throws: (any Error).self) {
                try decode { $0.changes.replace(with: ReceiptAttribute(15, bytes: bytes)) }
            }
        }
    }

    @Test("A text may be of each type of text, and of no other")
    func textTypes() throws {
        for tag: UInt8 in [0x0C, 0x16, 0x13] {
            let receipt = try decode { design in
                design.changes.replace(with: ReceiptAttribute(3, bytes: [tag, 1, 0x37]))
                design.changes.replace(with: ReceiptAttribute(10, bytes: [tag, 2, 0x34, 0x2B]))
                design.changes.replace(with: ReceiptAttribute(12, bytes: [tag, 20] + "2023-11-14T22:13:20Z".utf8))
            }
            #expect(receipt.appVersion == "7" && receipt.ageRating == "4+" && receipt.creationDate == ReceiptSample.now)
        }
        let bad: [[UInt8]] = [
            [], [0x0C], [0x04, 1, 0x37], [0x02, 1, 7], [0x2C, 0], [0x0C, 1, 0xFF], [0x16, 2, 0xC3, 0xA4],
            [0x0C, 1, 0x37, 0],
        ]
        for bytes in bad {
            #expect(throws: (any Error).self) {
                try decode { $0.changes.replace(with: ReceiptAttribute(3, bytes: bytes)) }
            }
        }
    }

    @Test("An empty set is a receipt without anything, which is an error; an empty set of purchases is not there")
    func emptySets() throws {
        let empty = try SignedDataDesign([0x31, 0x00], signedBy: sample.signer).encoded()

        #expect(try sample.verdict(empty).message.contains("attribute 2"))
        let purchase = ReceiptAttribute(17, bytes: [0x31, 0x00])
        #expect(try sample.verdict(sample.signed { $0.changes.extra = [purchase] }).message.contains("1704"))
    }

    @Test("What is signed may be wrapped once more, as Xcode does, and no further")
    func wrapped() throws {
        #expect(try sample.verdict(try sample.signed { $0.isWrapped = true }).words == "verified")
        let twice = try sample.contained { container in
            container.content = container.content.map {
                [0x04, 0x82, UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0
            }
            container.content = container.content.map {
                [0x04, 0x82, UInt8($0.count >> 8), UInt8($0.count & 0xFF)] + $0
            }
        }
        #expect(try sample.verdict(twice).words == "structure malformed")
    }

    @Test("In the payload, nothing but DER is read")
    func strictness() throws {
        let payload = ReceiptSample.design().payload
        let body = Array(payload.dropFirst(4))
        let bad: [[UInt8]] = [
            payload + [0], [0x31, 0x80] + body + [0, 0], Array(payload.dropLast()), [],
            [0x31, 0x83, 0, UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body,
            [0x30] + payload.dropFirst(), [0x31, 0x02, 0x30, 0x00],
        ]
        for content in bad {
            let bytes = try sample.contained { container in container.content = content }
            #expect(try sample.verdict(bytes).words == "structure malformed", "\(content.prefix(8))")
        }
    }

    @Test("Names of fields are Apple's, dates are in UTC, and numbers that JavaScript cannot hold are texts")
    func fields() throws {
        let bytes = try sample.signed { design in
            design.downloadID = 9_007_199_254_740_993
            design.changes.replace(with: .ascii(18, "2023-11-14T23:13:20.5+0100"))
            design.purchases = [ReceiptSample.purchase { $0.webOrderLineItemID = .min }]
        }

        let fields = try SignedReceipt(bytes).fields()

        #expect(fields["download_id"] == .string("9007199254740993"))
        #expect(fields["original_purchase_date"] == .string("2023-11-14T22:13:20Z"))
        #expect(fields["in_app_count"] == .integer(1))
        #expect(fields["signature_digest"] == .string("sha256"))
        #expect(fields["device_hash"] == nil)
        #expect(fields["expiration_date"] == nil)
        guard case .array(let rows) = fields["in_app"], let row = rows.first else {
            Issue.record("no rows")
            return
        }
        #expect(row["web_order_line_item_id"] == .string("-9223372036854775808"))
        #expect(row["cancellation_date"] == .null)
        #expect(row["original_transaction_id"] == nil)
    }
}
