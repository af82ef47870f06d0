package import HTTP

/// From where a request comes: the peer, or what trusted proxies say about theirs.
package struct ClientAddresses: Sendable {
    private let proxies: [IPNetwork]

    /// - Parameter proxies: whose `X-Forwarded-For` is believed.
    package init(proxies: [IPNetwork]) { self.proxies = proxies }

    /// The client's address as the limits count it. An IPv6 client owns a /64, so that stands for him.
    package func client(of request: HTTP.Request) -> String {
        // The hot path: nothing is parsed.
        guard !proxies.isEmpty || request.peer.host.utf8.contains(UInt8(ascii: ":")) else { return request.peer.host }
        guard var client = IPAddress(request.peer.host) else { return request.peer.host }
        if isProxy(client) {
            // Each proxy appends the address that it saw, so only the end of the list is beyond a caller's reach.
            let hops = request.headers.all("X-Forwarded-For").joined(separator: ",").split(separator: ",")
            for hop in hops.reversed() {
                guard let address = Self.address(of: hop) else { break }
                client = address
                if !isProxy(client) { break }
            }
        }
        guard client.bytes.count == 16 else { return client.description }
        return client.bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }

    private func isProxy(_ address: IPAddress) -> Bool { proxies.contains { $0.contains(address) } }

    /// Some proxies write the port along: `192.0.2.1:4711`, `[2001:db8::1]:4711`.
    private static func address(of hop: Substring) -> IPAddress? {
        let text = hop.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") { return IPAddress(text.dropFirst()[..<end]) }
        if let address = IPAddress(text) { return address }
        return text.firstIndex(of: ":").flatMap { IPAddress(text[..<$0]) }
    }
}
