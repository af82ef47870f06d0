internal import HTTP
internal import Messages
package import ServiceKit

/// Tells who sends a request, and which app he means.
package struct Callers: Sendable {
    private let keys: TokenKeys
    private let registry: RegistryProjection
    private let refused: [String: Counter]

    package init(keys: TokenKeys, registry: RegistryProjection, metrics: MetricsRegistry) {
        self.keys = keys
        self.registry = registry
        let reasons = [HTTPError.tokenMalformed, .tokenExpired, .tokenRevoked, .tokenWrongApp].map(\.code)
        refused = Dictionary(
            uniqueKeysWithValues: reasons.map { reason in
                (
                    reason,
                    metrics.counter(
                        "tollgate_edge_tokens_refused_total", "Device tokens that were not good", ["reason": reason])
                )
            })
    }

    /// Who sends `request`.
    ///
    /// - Throws: 401 for a token that is not good: nobody who shows one is taken for a caller without.
    func caller(of request: HTTP.Request, at now: Timestamp) throws(HTTPError) -> Caller {
        let fields = request.headers.all("Authorization")
        guard let field = fields.first else { return .unattested }
        // The scheme's name has no case (RFC 9110 § 11.1).
        guard fields.count == 1, field.prefix(7).lowercased() == "bearer " else { throw refusal(.tokenMalformed) }
        switch DeviceToken.read(field.dropFirst(7).drop { $0 == " " }, at: now, keys: keys) {
        case .malformed: throw refusal(.tokenMalformed)
        case .expired: throw refusal(.tokenExpired)
        case .good(let token):
            guard registry.known({ $0.accepts(token) }) ?? true else { throw refusal(.tokenRevoked) }
            return token.caller
        }
    }

    /// The app that `caller` means by its bundle id; nil if there is none, or if several organisations have connected it
    /// and no token tells which.
    ///
    /// - Throws: 401 `token_wrong_app`; 503 where it cannot be told now.
    func app(_ bundle: AppID, of caller: Caller) async throws(HTTPError) -> AppRecord? {
        let device = caller.device
        if let device, device.app != bundle { throw refusal(.tokenWrongApp) }
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

    private func refusal(_ error: HTTPError) -> HTTPError {
        refused[error.code]?.add()
        return error
    }
}

extension HTTPError {
    fileprivate static let tokenMalformed = unauthorized(
        "token_malformed", "The bearer token is not a device token of this installation")
    fileprivate static let tokenExpired = unauthorized("token_expired", "The device token has expired; enrol again")
    fileprivate static let tokenRevoked = unauthorized(
        Refusal.tokenRevoked.reason, "The device was revoked, or has been enrolled again since this token")
    fileprivate static let tokenWrongApp = unauthorized(
        "token_wrong_app", "The device token is of another app than bundleId names")
}
