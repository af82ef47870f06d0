internal import Crypto
package import HTTP
package import Messages

/// What a client calls a request of its own, so that a repeat is known for one (`Idempotency-Key`).
package struct IdempotencyKey: Sendable, Hashable {
    /// Bytes.
    static let longest = 255

    private let text: String

    /// The key of `request`; nil without one.
    ///
    /// - Throws: 400 for one that is not 1 to ``longest`` printable ASCII characters.
    package init?(of request: HTTP.Request) throws(HTTPError) {
        guard let text = request.headers["Idempotency-Key"] else { return nil }
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) else {
            throw .badRequest(
                "idempotency_key_malformed", "Idempotency-Key must be 1 to \(Self.longest) printable ASCII characters",
                field: "Idempotency-Key")
        }
        self.text = text
    }

    /// What the request is called inside: the same at any edge and at any time, whoever sends it.
    ///
    /// It has no time in it, so no UUIDv7 can be made of it; like the ids that stand in for those that strangers leave
    /// out, it is a digest, and forgotten by inboxes after a day.
    package func requestID(app: AppRecord, route: String) -> MessageID {
        let parts = [app.organisation.rawValue, app.app.rawValue, route, text].joined(separator: "\u{0}")
        return MessageID(rawValue: MessageID.digestPrefix + Digest.sha256(parts.utf8).hexadecimal)
    }

    /// The id of the message that is sent for it by a caller of this trust.
    ///
    /// A message says how far its caller is to be trusted, and a device may lose its token, or get one, between two tries
    /// of one request: under one id these would be two bodies, of which the second is a dead letter. So they are two
    /// messages, each of which may come after the other, or alone.
    package func messageID(app: AppRecord, route: String, trust: Trust) -> MessageID {
        let request = requestID(app: app, route: route)
        guard trust == .attested else { return request }
        let digest = Digest.sha256("\(request)\u{0}\(trust)".utf8)
        return MessageID(rawValue: MessageID.digestPrefix + digest.hexadecimal)
    }
}

extension MessageID {
    /// The id of the message to `user` of `app`, where the request that would send one under this id sends several: the
    /// same whenever it is sent for the same key.
    func part(_ app: AppID, _ user: AppUserID) -> MessageID {
        let digest = Digest.sha256([rawValue, app.rawValue, user.rawValue].joined(separator: "\u{0}").utf8)
        // Inboxes tell by the beginning how long an id has to be remembered.
        guard rawValue.hasPrefix(Self.digestPrefix) else { return MessageID(following: self, digest: digest) }
        return MessageID(rawValue: Self.digestPrefix + digest.hexadecimal)
    }

    fileprivate static let digestPrefix = "sha256:"
}

extension HTTPError {
    /// 409.
    static let idempotencyKeyReused = HTTPError(
        .conflict, "idempotency_key_reused", "This Idempotency-Key was used for another body",
        field: "Idempotency-Key")
}
