/// The target of a request line, taken apart and percent-decoded once.
///
/// The path is split at `/` before it is decoded, so an identifier may carry an encoded slash.
struct RequestTarget: Equatable {
    /// As it was sent, without the query.
    private(set) var path = ""
    /// Decoded. `/` is no segments; `/a/` is `["a", ""]`.
    private(set) var segments: [String] = []
    private(set) var query: [Request.QueryItem] = []

    /// Reads the origin form, the absolute form (its scheme and authority are dropped) and `*` (RFC 9112 § 3.2).
    ///
    /// - Throws: 400 for anything else: control characters, wrong percent-encoding, and text that decodes to
    ///   something other than UTF-8 or to a NUL.
    init(_ bytes: ArraySlice<UInt8>) throws(HTTPError) {
        guard bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw .badRequest("malformed_target", "The request target has characters that must be percent-encoded")
        }
        let relative = try Self.withoutAuthority(bytes)
        let queryMark = relative.firstIndex(of: UInt8(ascii: "?")) ?? relative.endIndex
        let rawPath = relative[..<queryMark]
        path = String(decoding: rawPath, as: UTF8.self)
        if rawPath.count > 1 {
            for segment in rawPath.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                segments.append(try Self.decode(segment, plusIsSpace: false))
            }
        }
        for item in relative[queryMark...].dropFirst().split(separator: UInt8(ascii: "&")) {
            let equals = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
            let name = try Self.decode(item[..<equals], plusIsSpace: true)
            let value = try Self.decode(item[equals...].dropFirst(), plusIsSpace: true)
            query.append(Request.QueryItem(name: name, value: value))
        }
    }

    private static func withoutAuthority(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> ArraySlice<UInt8> {
        switch bytes.first {
        case UInt8(ascii: "/"): return bytes
        case UInt8(ascii: "*") where bytes.count == 1: return bytes
        default: break
        }
        for scheme in ["http://", "https://"] where bytes.starts(with: scheme.utf8) {
            let afterScheme = bytes.dropFirst(scheme.utf8.count)
            if let slash = afterScheme.firstIndex(of: UInt8(ascii: "/")) { return afterScheme[slash...] }
        }
        throw .badRequest("malformed_target", "The request target must be a path")
    }

    private static func decode(_ text: ArraySlice<UInt8>, plusIsSpace: Bool) throws(HTTPError) -> String {
        guard text.contains(where: { $0 == UInt8(ascii: "%") || (plusIsSpace && $0 == UInt8(ascii: "+")) }) else {
            // Checked to be printable ASCII above.
            return String(decoding: text, as: UTF8.self)
        }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit else {
                    throw .badRequest("malformed_target", "The request target has a wrong percent-encoding")
                }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        guard !decoded.contains(0), let text = String(validating: decoded, as: UTF8.self) else {
            throw .badRequest("malformed_target", "The request target must decode to UTF-8 text without NUL")
        }
        return text
    }
}

extension UInt8 {
    fileprivate var hexDigit: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
