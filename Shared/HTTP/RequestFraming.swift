/// Where a request ends, from headers that leave no doubt about it.
///
/// The library is forgiving where a proxy before us may read the same bytes otherwise (RFC 9112 § 11.2, request
/// smuggling): what two readers could frame differently is refused.
struct RequestFraming: Equatable {
    /// `nil` without a body, or with a chunked one.
    let contentLength: Int?

    init(_ headers: HTTPHeaders, isVersion11: Bool) throws(HTTPError) {
        guard headers.fields.allSatisfy({ Self.isToken($0.name) }) else {
            throw .badRequest("malformed_header", "A header's name has characters that it must not have")
        }
        if isVersion11, headers.all("Host").count != 1 {
            throw .badRequest("malformed_header", "HTTP/1.1 asks for one Host header", field: "Host")
        }
        let encodings = headers.all("Transfer-Encoding")
        let lengths = headers.all("Content-Length")
        guard !encodings.isEmpty else {
            guard lengths.count <= 1 else {
                throw .badRequest("malformed_header", "There is more than one Content-Length", field: "Content-Length")
            }
            contentLength = try lengths.first.map { length throws(HTTPError) in
                guard !length.isEmpty, length.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                    throw .badRequest("malformed_header", "Content-Length is not a number", field: "Content-Length")
                }
                // Digits that do not fit are more than any limit.
                return Int(length) ?? .max
            }
            return
        }
        guard lengths.isEmpty, isVersion11, encodings.count == 1, encodings[0].equalsIgnoringASCIICase("chunked")
        else {
            throw .badRequest(
                "malformed_header", "Only chunked can be asked for, alone and without Content-Length",
                field: "Transfer-Encoding")
        }
        contentLength = nil
    }

    /// RFC 9110 § 5.6.2.
    private static func isToken(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: "!#$%&'*+.^`|~".utf8.contains(byte)
                }
            }
    }
}
