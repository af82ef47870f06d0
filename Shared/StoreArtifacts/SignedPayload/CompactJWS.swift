internal import Crypto
internal import JSON

/// The three parts of a signed text (RFC 7515 § 3.1), each still as it was sent.
struct CompactJWS {
    let text: [UInt8]
    private let header: Range<Int>
    private let payload: Range<Int>
    private let signature: Range<Int>

    /// Splits the text; decodes nothing.
    init(_ text: [UInt8], limit: Int) throws(Shortfall) {
        guard text.count <= limit else { throw .malformed("longer than \(limit) bytes") }
        let dot = UInt8(ascii: ".")
        guard let first = text.firstIndex(of: dot, from: 0), let second = text.firstIndex(of: dot, from: first + 1),
            text.firstIndex(of: dot, from: second + 1) == nil
        else { throw .malformed("not three parts with dots between them") }
        self.text = text
        self.header = 0..<first
        self.payload = first + 1..<second
        self.signature = second + 1..<text.count
    }

    /// What the signature is over: header, dot and payload as sent.
    var signingInput: ArraySlice<UInt8> { text[..<payload.upperBound] }

    /// The header as sent. The same signer sends the same one each time.
    var encodedHeader: ArraySlice<UInt8> { text[header] }

    /// The decoded header.
    func headerObject() throws(Shortfall) -> JSONObject { try object(header, "header") }

    /// The decoded payload.
    func payloadObject() throws(Shortfall) -> JSONObject { try object(payload, "payload") }

    /// The signature's bytes, as many as there are.
    func signatureBytes() throws(Shortfall) -> [UInt8] {
        guard let bytes = Base64.url.decode(text[signature]) else {
            throw .malformed("the signature is not base64url")
        }
        return bytes
    }

    private func object(_ part: Range<Int>, _ name: String) throws(Shortfall) -> JSONObject {
        guard let bytes = Base64.url.decode(text[part]) else { throw .malformed("the \(name) is not base64url") }
        do {
            return try JSONObject(bytes, limits: JSONLimits(depth: 16, bytes: text.count))
        } catch {
            throw .malformed("\(name): \(error)")
        }
    }
}

extension Shortfall {
    static func malformed(_ message: String) -> Shortfall { Shortfall(.structure, .malformed, message) }
}
