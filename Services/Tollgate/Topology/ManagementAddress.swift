package import HTTPClient

/// Where the management API is, and who asks: the login of the broker's address.
package struct ManagementAddress: Sendable {
    /// `http://host:port`, without a slash at its end.
    package let url: String
    /// Who asks.
    package let credentials: HTTPRequest.BasicCredentials
    /// What is asked about.
    package let virtualHost: String

    /// - Parameter text: `http://host:15672` or `https://…`; nil for anything else.
    package init?(_ text: String, credentials: HTTPRequest.BasicCredentials, virtualHost: String) {
        guard let scheme = ["http://", "https://"].first(where: text.hasPrefix) else { return nil }
        var rest = text.dropFirst(scheme.count)
        while rest.last == "/" { rest = rest.dropLast() }
        guard !rest.isEmpty, !rest.contains(where: { "@?# ".contains($0) }) else { return nil }
        url = scheme + rest
        self.credentials = credentials
        self.virtualHost = virtualHost
    }

    /// As a segment of a path (RFC 3986 § 2.1): `/` becomes `%2F`.
    package var encodedVirtualHost: String {
        virtualHost.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                result += "%" + (digits.utf8.count == 1 ? "0" : "") + digits
            }
        }
    }
}
