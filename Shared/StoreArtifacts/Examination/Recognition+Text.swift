internal import Crypto
internal import JSON

extension Recognition {
    private static let signedTexts: Set<ArtifactKind> = [.transaction, .renewal, .appTransaction, .notification]

    /// A compact JWS without any dress, of a kind that is known: nothing has to be found out. If it is of another kind,
    /// its verifier sees that at its first step.
    static func bareText(_ input: [UInt8], of kind: ArtifactKind?) -> RecognisedArtifact? {
        guard let kind, signedTexts.contains(kind), input.starts(with: Array("eyJ".utf8)), !input.hasWhiteSpace else {
            return nil
        }
        return RecognisedArtifact(kind, input)
    }

    /// A compact JWS, whose payload tells which. Line breaks and spaces are the dress; they are in no alphabet.
    static func signedText(_ text: ArraySlice<UInt8>) -> RecognisedArtifact? {
        let compact = Array(text).hasWhiteSpace ? text.filter { $0 > 0x20 } : Array(text)
        // The header of each is an object.
        guard Base64.url.decode(compact.prefix(4))?.first == UInt8(ascii: "{") else { return nil }
        let parts = compact.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count > 1, let payload = Base64.url.decode(parts[1]),
            let object = try? JSONObject(payload, limits: JSONLimits(depth: 16, bytes: payload.count))
        else {
            return RecognisedArtifact(
                .unknown, compact, candidates: signedTexts, description: "a signed text (JWS) that cannot be read")
        }
        if let kind = ArtifactKind.distinct(object) { return RecognisedArtifact(kind, compact) }
        return guess(compact, members: Set(object.names))
    }

    private static func guess(_ text: [UInt8], members: Set<String>) -> RecognisedArtifact {
        // Test data of Apple's own holds no more than these.
        let guess: ArtifactKind? =
            !members.contains("signedDate") ? nil : members.contains("bundleId") ? .transaction : .renewal
        return RecognisedArtifact(
            guess ?? .unknown, text, candidates: signedTexts,
            description: guess == nil ? "a signed text (JWS) that is none of Apple's purchases" : nil)
    }

    /// PEM: what stands between the lines of dashes, and what they say that it is.
    static func armoured(
        _ text: ArraySlice<UInt8>, preferring kind: ArtifactKind?, depth: Int
    ) -> RecognisedArtifact? {
        guard text.starts(with: Array("-----BEGIN ".utf8)) else { return nil }
        let dash = UInt8(ascii: "-")
        let label = text.dropFirst(11).prefix { $0 != dash }
        let body = text.dropFirst(11 + label.count).drop { $0 == dash }.prefix { $0 != dash }
        let name = String(decoding: label, as: UTF8.self)
        if name.hasSuffix("PRIVATE KEY") {
            return RecognisedArtifact(.unknown, Array(text), description: "a private key, which nobody else may see")
        }
        guard let bytes = LaxBase64.decode(body) else { return nil }
        if let artifact = recognise(bytes[...], preferring: kind, depth: depth + 1) { return artifact }
        return name.hasSuffix("PUBLIC KEY")
            ? RecognisedArtifact(.unknown, bytes, description: "a public key") : nil
    }

    /// What StoreKit gave out up to iOS 6: a property list of the old style.
    static func propertyList(_ text: ArraySlice<UInt8>) -> RecognisedArtifact? {
        let start = text.prefix(1 << 12)
        guard start.first == UInt8(ascii: "{"), start.contains(Array("\"signature\" = \"".utf8)) else { return nil }
        return RecognisedArtifact(.iOS6Receipt, Array(text))
    }
}

extension [UInt8] {
    /// Whether white space as in texts occurs in it.
    fileprivate var hasWhiteSpace: Bool { " \n\r\t".utf8.contains { firstIndex(of: $0, from: 0) != nil } }
}
