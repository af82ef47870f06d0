public import ServiceKit

/// Where a broker is and who we are to it: `amqp[s]://user:password@host[:port][/vhost]`
/// (rabbitmq.com/uri-spec.html), each part percent-encoded.
public struct BrokerAddress: Sendable, Hashable {
    /// Name or number of the host, without brackets.
    public var host: String
    /// 5672 unless given, 5671 with TLS.
    public var port: UInt16
    /// `amqps`.
    public var usesTLS: Bool
    /// The login, which the broker writes into every message.
    public var user: String
    /// Its password.
    public var password: Secret
    /// `/` unless given.
    public var virtualHost: String

    /// An address of these.
    public init(
        host: String, port: UInt16, usesTLS: Bool = false, user: String, password: Secret, virtualHost: String = "/"
    ) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
        self.user = user
        self.password = password
        self.virtualHost = virtualHost
    }

    /// Reads an address; nil if it is none, or has no login. A lone `/` at the end is the virtual host `/`, not one
    /// without a name.
    public init?(_ text: String) {
        guard let scheme = text.firstRange(of: "://") else { return nil }
        switch text[..<scheme.lowerBound].lowercased() {
        case "amqp": usesTLS = false
        case "amqps": usesTLS = true
        default: return nil
        }
        let rest = text[scheme.upperBound...]
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else { return nil }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        guard let at = authority.lastIndex(of: "@"), let colon = authority[..<at].firstIndex(of: ":"),
            let user = Self.decoded(authority[..<colon]), !user.isEmpty,
            let password = Self.decoded(authority[authority.index(after: colon)..<at]),
            let virtualHost = Self.decoded(rest[slash...].dropFirst()),
            let (host, portText) = Self.hostAndPort(authority[authority.index(after: at)...])
        else { return nil }
        if let portText {
            guard let number = UInt16(portText), number > 0 else { return nil }
            port = number
        } else {
            port = usesTLS ? 5671 : 5672
        }
        self.host = host
        self.user = user
        self.password = Secret(password)
        self.virtualHost = virtualHost.isEmpty ? "/" : virtualHost
    }

    private static func hostAndPort(_ text: Substring) -> (host: String, port: Substring?)? {
        if text.first == "[" {
            guard let close = text.firstIndex(of: "]"), let host = decoded(text.dropFirst()[..<close]), !host.isEmpty
            else { return nil }
            let after = text[text.index(after: close)...]
            if after.isEmpty { return (host, nil) }
            return after.first == ":" ? (host, after.dropFirst()) : nil
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = decoded(parts[0]), !host.isEmpty else { return nil }
        return (host, parts.count == 2 ? parts[1] : nil)
    }

    /// Nil where the text is not percent-encoded UTF-8, or holds a NUL: the C library would end it there.
    private static func decoded(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension BrokerAddress: CustomStringConvertible {
    /// Without the password.
    public var description: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return "\(usesTLS ? "amqps" : "amqp")://\(user)@\(host):\(port)\(virtualHost == "/" ? "" : "/\(virtualHost)")"
    }
}
