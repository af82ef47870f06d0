internal import Crypto
internal import JSON

extension Recognition {
    /// JSON: a purchase, a notification of version 1, or an object that has the artifact in a member.
    static func object(
        _ text: ArraySlice<UInt8>, preferring kind: ArtifactKind?, depth: Int
    ) -> RecognisedArtifact? {
        let limits = JSONLimits(depth: 32, bytes: text.count)
        guard let object = try? JSONObject(Array(text), limits: limits) else { return nil }
        let value = JSONValue.object(object.values)
        if let artifact = purchase(value, Array(text)) { return artifact }
        if value["notification_type"] != nil { return RecognisedArtifact(.notificationV1, Array(text)) }
        if let artifact = member(of: value, preferring: kind, depth: depth) { return artifact }
        if value["x5c"] != nil {
            return RecognisedArtifact(.certificate, Array(text), description: "a list of certificates")
        }
        if members.contains(where: { if case .array(let list)? = value[$0.name] { list.count > 1 } else { false } }) {
            return RecognisedArtifact(
                .unknown, Array(text), description: "a list of several artifacts: hand them in one by one")
        }
        if value["purchaseToken"] != nil {
            return RecognisedArtifact(
                .unknown, Array(text), description: "a purchase without the signature that belongs to it")
        }
        return nil
    }

    /// The content of a text in double quotes.
    static func jsonString(_ text: ArraySlice<UInt8>) -> String? {
        try? JSONCoding.decode(String.self, from: Array(text), limits: JSONLimits(depth: 1, bytes: text.count))
    }

    private static func purchase(_ value: JSONValue, _ text: [UInt8]) -> RecognisedArtifact? {
        // The second as AppCoins' server has it.
        let isPurchase =
            value.text(["signed_data", "signedData"]) != nil && value["signature"] != nil
            || value["verification"]?["data"] != nil && value["verification"]?["signature"] != nil
        guard isPurchase else { return nil }
        return RecognisedArtifact(.purchase, text, publicKey: publicKey(in: value))
    }

    /// The first member that holds something, those of the preferred kind before all others.
    private static func member(
        of value: JSONValue, preferring kind: ArtifactKind?, depth: Int
    ) -> RecognisedArtifact? {
        let preferred = members.filter { $0.kind == kind } + members.filter { $0.kind != kind }
        for (name, hint) in preferred {
            guard let content = value[name] else { continue }
            if let artifact = self.content(content, hint, in: value, preferring: kind, depth: depth) { return artifact }
        }
        return nil
    }

    private static func content(
        _ content: JSONValue, _ hint: ArtifactKind?, in value: JSONValue, preferring kind: ArtifactKind?, depth: Int
    ) -> RecognisedArtifact? {
        switch content {
        case .string(let text):
            let bytes = Array(text.utf8)
            guard let artifact = recognise(bytes[...], preferring: kind, depth: depth + 1) else {
                guard let hint else { return nil }
                return RecognisedArtifact(hint, LaxBase64.decode(bytes[...]) ?? bytes)
            }
            return RecognisedArtifact(
                artifact.kind, artifact.bytes, candidates: artifact.candidates, description: artifact.description,
                supplied: Expectations(suppliedBy: value),
                publicKey: publicKey(in: value))
        case .object where depth < 2:
            // Written anew; what is signed is a text in it and stays as it is.
            if let json = try? JSONCoding.encode(content), let artifact = purchase(content, json) { return artifact }
            return member(of: content, preferring: kind, depth: depth + 1)
        // Of a list with several nobody can tell which is meant.
        case .array(let values) where values.count == 1:
            return self.content(values[0], hint, in: value, preferring: kind, depth: depth + 1)
        default: return nil
        }
    }

    /// Nobody's key where there is a text that is none.
    private static func publicKey(in value: JSONValue) -> [UInt8]? {
        value.text(["public_key", "publicKey"]).map { KeyText.decode($0) ?? [] }
    }

    /// Under which names artifacts travel, and what is in there if that cannot be seen.
    private static let members: [(name: String, kind: ArtifactKind?)] = [
        ("signedPayload", .notification), ("signed_payload", .notification),
        ("signedTransactionInfo", .transaction), ("signedTransaction", .transaction),
        ("signedTransactions", .transaction), ("signed_transaction", .transaction),
        ("signedRenewalInfo", .renewal), ("signed_renewal_info", .renewal),
        ("signedAppTransactionInfo", .appTransaction), ("appTransaction", .appTransaction),
        ("app_transaction", .appTransaction),
        ("attestation_receipt", .attestationReceipt), ("attestationReceipt", .attestationReceipt),
        ("attestation", .attestation), ("attestationObject", .attestation), ("attestation_object", .attestation),
        ("assertion", .assertion), ("assertionObject", .assertion),
        ("receipt-data", .receipt), ("receipt_data", .receipt), ("receiptData", .receipt),
        ("latest_receipt", .receipt), ("receipt", nil), ("transactionReceipt", nil), ("transaction_receipt", nil),
        ("jws", nil), ("jwsRepresentation", nil), ("jws_representation", nil), ("transaction", nil),
        ("artifact", nil), ("data", nil), ("payload", nil), ("purchase", .purchase),
    ]
}

extension JSONValue {
    /// The first of these members that is a text.
    func text(_ names: [String]) -> String? { names.lazy.compactMap { self[$0]?.string }.first }

    fileprivate func integer(_ names: [String]) -> Int64? {
        names.lazy.compactMap { if case .integer(let value) = self[$0] { value } else { nil } }.first
    }
}

extension Expectations {
    /// What belongs to an App Attest artifact, in the JSON that carries it.
    fileprivate init(suppliedBy value: JSONValue) {
        self.init()
        keyID = value.text(["key_id", "keyId", "keyID"]).flatMap { LaxBase64.decode(Array($0.utf8)[...]) }
        clientData = ClientData(in: value)
        lastCounter = value.integer(["last_counter", "lastCounter"]).flatMap(UInt32.init(exactly:))
        maximumAge = value.integer(["max_age", "maxAge"]).map(Double.init)
    }
}

extension ClientData {
    fileprivate init?(in value: JSONValue) {
        if let text = value.text(["client_data", "clientData"]) {
            guard let bytes = LaxBase64.decode(Array(text.utf8)[...]) else { return nil }
            self = .bytes(bytes)
        } else if let text = value.text(["client_data_hash", "clientDataHash"]) {
            guard let bytes = [UInt8](hexadecimal: text) else { return nil }
            self = .hash(bytes)
        } else if let text = value.text(["challenge"]) {
            self = .challenge(text)
        } else {
            return nil
        }
    }
}
