internal import HTTP
internal import Messages

/// Tells who sends a request, and which app he means.
package struct Callers: Sendable {
    private let keys: TokenKeys
    private let registry: RegistryProjection

    package init(keys: TokenKeys, registry: RegistryProjection) {
        self.keys = keys
        self.registry = registry
    }

    /// Who sends `request`.
    ///
    /// - Throws: 401 for a token that is not good: nobody who shows one is taken for a caller without.
    func caller(of request: HTTP.Request, at now: Timestamp) throws(HTTPError) -> Caller {
        let fields = request.headers.all("Authorization")
        guard let field = fields.first else { return .unattested }
        // The scheme's name has no case (RFC 9110 § 11.1).
        guard fields.count == 1, field.prefix(7).lowercased() == "bearer " else { throw .tokenMalformed }
        switch DeviceToken.read(field.dropFirst(7).drop { $0 == " " }, at: now, keys: keys) {
        case .malformed: throw .tokenMalformed
        case .expired: throw .unauthorized("token_expired", "The device token has expired; enrol again")
        case .good(let token):
            guard registry.known({ $0.accepts(token) }) ?? true else {
                throw .unauthorized(Refusal.tokenRevoked.reason, "The device token is good no more")
            }
            return token.caller
        }
    }

    /// The app that `caller` means by its bundle id; nil if there is none, or if several organisations have connected it
    /// and no token tells which.
    ///
    /// - Throws: 401 `token_wrong_app`; 503 where it cannot be told now.
    func app(_ bundle: AppID, of caller: Caller) async throws(HTTPError) -> AppRecord? {
        let device = caller.device
        if let device, device.app != bundle {
            throw .unauthorized("token_wrong_app", "The device token is of another app than bundleId names")
        }
        let look = { @Sendable (view: RegistryView) in
            device.map { view.app(bundle, of: $0.organisation) } ?? view.app(bundle)
        }
        // Without a suspension where it is known.
        if let app = registry.known(look) { return app }
        switch await registry.find(look) {
        case .found(let app): return app
        case .absent: return nil
        case .unavailable:
            throw .serviceUnavailable(
                "registry_unavailable", "Not known to be accepted; repeating the same request is safe", retryAfter: 1)
        }
    }
}

extension HTTPError {
    fileprivate static let tokenMalformed = HTTPError.unauthorized(
        "token_malformed", "The bearer token is not a device token of this installation")
}
