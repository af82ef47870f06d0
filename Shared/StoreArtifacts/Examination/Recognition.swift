internal import Crypto

/// Tells what bytes are by their looks, and takes off what they are wrapped in. Verifies nothing.
///
/// Never fails and never believes: a wrong guess ends as a refusal by the verifier of that kind. Every wrapping is
/// taken off once, at most ``deepest`` of them, each in one pass.
enum Recognition {
    /// A quoted text in Base64 in a JSON member, and one more.
    private static let deepest = 6

    /// Tells what `input` is.
    ///
    /// - Parameter kind: Where a JSON object holds several artifacts, the one to take.
    static func recognise(_ input: [UInt8], preferring kind: ArtifactKind? = nil) -> RecognisedArtifact {
        guard input.count <= ArtifactExaminer.limit else {
            return RecognisedArtifact(.unknown, [], description: "longer than \(ArtifactExaminer.limit >> 20) MiB")
        }
        return recognise(input[...], preferring: kind, depth: 0) ?? unknown(input)
    }

    /// `nil` for what looks like nothing.
    static func recognise(
        _ input: ArraySlice<UInt8>, preferring kind: ArtifactKind?, depth: Int
    ) -> RecognisedArtifact? {
        guard depth < deepest, let first = input.first else { return nil }
        if let artifact = binary(input, first) { return artifact }
        let text = input.trimmed
        switch text.first {
        case UInt8(ascii: "{"):
            return object(text, preferring: kind, depth: depth) ?? propertyList(text)
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            return recognise(unquoted(text)[...], preferring: kind, depth: depth + 1)
        case UInt8(ascii: "-"):
            if let artifact = armoured(text, preferring: kind, depth: depth) { return artifact }
        default: break
        }
        if text.contains(UInt8(ascii: ".")) { return signedText(text) }
        guard let bytes = LaxBase64.decode(text) else { return nil }
        return recognise(bytes[...], preferring: kind, depth: depth + 1)
    }

    /// What is in no text.
    private static func binary(_ input: ArraySlice<UInt8>, _ first: UInt8) -> RecognisedArtifact? {
        switch first {
        case 0x30: distinguished(input)
        case 0xA0...0xBF: cborMap(input)
        default: nil
        }
    }

    private static func unknown(_ input: [UInt8]) -> RecognisedArtifact {
        RecognisedArtifact(
            .unknown, LaxBase64.decode(input[...]) ?? input, candidates: Set(ArtifactKind.verifiable),
            description: input.trimmedIsEmpty ? "nothing: it is empty" : "nothing that a store signs")
    }

    /// A JSON string, or a text in quotes that a shell has left.
    private static func unquoted(_ text: ArraySlice<UInt8>) -> [UInt8] {
        if let string = jsonString(text) { return Array(string.utf8) }
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        return Array(text.drop(while: quotes.contains).reversed().drop(while: quotes.contains).reversed())
    }
}

extension Collection<UInt8> {
    var trimmedIsEmpty: Bool { allSatisfy(\.isWhiteSpace) }
}

extension ArraySlice<UInt8> {
    /// Without white space at its ends and without a byte order mark.
    var trimmed: ArraySlice<UInt8> {
        let start = starts(with: [0xEF, 0xBB, 0xBF]) ? dropFirst(3) : self
        let end = start.lastIndex { !$0.isWhiteSpace }.map { $0 + 1 } ?? start.startIndex
        return start[..<end].drop(while: \.isWhiteSpace)
    }
}

extension UInt8 {
    fileprivate var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0D).contains(self) }
}
