internal import Crypto
public import FoundationEssentials
public import JSON

/// What an App Attest receipt says: the one in an attestation, or what Apple's server has given for it since, with a
/// judgement of the device.
///
/// Apple documents the numbers of the fields under "Assessing fraud risk".
public struct AttestationReceipt: Sendable, Hashable {
    /// `TEAM.BUNDLE`.
    public let appID: String
    /// The attested key's point as X9.63 has it.
    public let publicKey: [UInt8]
    /// What the attestation was made for, as it was given as a hash. In what Apple's server gives out, bytes above 0x7F
    /// are destroyed: not to be compared.
    public let clientHash: [UInt8]?
    /// What Apple knows the key by.
    public let token: String?
    /// `ATTEST` in attestations, `RECEIPT` for what Apple's server gives out.
    public let type: String?
    /// `sandbox` or `production`.
    public let environment: String?
    /// When it was made.
    public let creationDate: Date
    /// How many keys the device has made for the app in the last 30 days; absent in attestations.
    public let riskMetric: Int?
    /// From when on Apple's server gives out another one for it.
    public let notBefore: Date?
    /// Until when.
    public let expirationDate: Date?
    /// The dates as they stand there, with their fractions.
    private let dateTexts: [Int64: String]

    /// Reads a receipt. Nothing of it is verified, and nothing to be believed; `nil` if it cannot be read.
    public init?(unverified bytes: [UInt8]) {
        guard let container = try? SignedContainer(bytes, limit: AttestationReceiptVerifier.limit) else { return nil }
        try? self.init(content: container.content)
    }

    /// Reads what a container holds.
    ///
    /// - Throws: ``Shortfall`` in the step `structure`.
    init(content: [UInt8]) throws(Shortfall) {
        let fields: [Int64: [UInt8]]
        do {
            fields = try Self.fields(of: content)
        } catch {
            throw .malformed("what the receipt holds \(error)")
        }
        func text(_ number: Int64) throws(Shortfall) -> String? {
            guard let bytes = fields[number] else { return nil }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("field \(number) of the receipt is no text")
            }
            return text
        }
        var dateTexts: [Int64: String] = [:]
        var dates: [Int64: Date] = [:]
        for number in Field.dates {
            guard let text = try text(number) else { continue }
            guard let date = try? Date(text, strategy: .iso8601) else {
                throw .malformed("field \(number) of the receipt is no date")
            }
            dates[number] = date
            dateTexts[number] = text
        }
        guard let appID = try text(Field.appID), let creationDate = dates[Field.creation] else {
            throw .malformed("the receipt names no app, or does not say when it was made")
        }
        guard let publicKey = fields[Field.certificate].flatMap(P256KeyInfo.point(inCertificate:)) else {
            throw .malformed("the receipt has no certificate of a device")
        }
        self.appID = appID
        self.publicKey = publicKey
        self.clientHash = fields[Field.clientHash]
        self.token = try text(Field.token)
        self.type = try text(Field.type)
        self.environment = try text(Field.environment)
        self.creationDate = creationDate
        self.riskMetric = try text(Field.riskMetric).flatMap { Int($0) }
        self.notBefore = dates[Field.notBefore]
        self.expirationDate = dates[Field.expiration]
        self.dateTexts = dateTexts
    }

    /// `SET OF SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`, none of them twice.
    private static func fields(of content: [UInt8]) throws(DERError) -> [Int64: [UInt8]] {
        var reader = DERReader(content, rules: .ber)
        var set = try reader.enter(.set)
        try reader.finish()
        var fields: [Int64: [UInt8]] = [:]
        while !set.isAtEnd {
            let start = set.position
            var field = try set.enter(.sequence)
            let number = try field.integer()
            _ = try field.integer()
            let value = try field.joinedOctets(try field.next(.octetString))
            try field.finish()
            guard fields.updateValue(value, forKey: number) == nil else {
                throw DERError(fault: .trailing, offset: start)
            }
        }
        return fields
    }

    private enum Field {
        static let (appID, certificate, clientHash, token): (Int64, Int64, Int64, Int64) = (2, 3, 4, 5)
        static let (type, environment, creation, riskMetric): (Int64, Int64, Int64, Int64) = (6, 7, 12, 17)
        static let (notBefore, expiration): (Int64, Int64) = (19, 21)
        static let dates = [creation, notBefore, expiration]
    }
}

extension AttestationReceipt {
    /// What it says, in the names of reports; what it does not say is there as `null`. Dates as they stand in it.
    public var fields: [String: JSONValue] {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
        return [
            "app_id": .string(appID),
            "type": text(type),
            "environment": text(environment),
            "creation_time": text(dateTexts[Field.creation]),
            "not_before": text(dateTexts[Field.notBefore]),
            "expiration_time": text(dateTexts[Field.expiration]),
            "risk_metric": riskMetric.map { .integer(Int64($0)) } ?? .null,
            "token": text(token),
            "public_key_x963_b64": .string(Base64.standard.encode(publicKey)),
            "client_hash_b64": text(clientHash.map(Base64.standard.encode)),
        ]
    }
}
