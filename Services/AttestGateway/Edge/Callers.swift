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
        // Without a suspension where it is known.
        if let app = try known(bundle, of: caller) { return app }
        switch await registry.find({ Self.app(bundle, of: caller, in: $0) }) {
        case .found(let app): return app
        case .absent: return nil
        case .unavailable: throw .registryUnavailable
        }
    }

    /// The same, as far as it is known here.
    ///
    /// - Throws: 401 `token_wrong_app`.
    func known(_ bundle: AppID, of caller: Caller) throws(HTTPError) -> AppRecord? {
        try check(bundle, of: caller)
        return registry.known { Self.app(bundle, of: caller, in: $0) }
    }

    private static func app(_ bundle: AppID, of caller: Caller, in view: RegistryView) -> AppRecord? {
        caller.device.map { view.app(bundle, of: $0.organisation) } ?? view.app(bundle)
    }

    /// Whether `caller` may speak for the app of this bundle id, as far as his token tells.
    ///
    /// - Throws: 401 `token_wrong_app`.
    func check(_ bundle: AppID, of caller: Caller) throws(HTTPError) {
        if let device = caller.device, device.app != bundle { throw refusal(.tokenWrongApp) }
    }

    /// Those of `bundles` that ``app(_:of:)`` would find; the registry is asked once for all that are not known.
    ///
    /// - Throws: 503 where it cannot be told now.
    func apps(_ bundles: Set<AppID>, of caller: Caller) async throws(HTTPError) -> [AppID: AppRecord] {
        let look = { @Sendable (view: RegistryView) -> [AppID: AppRecord] in
            bundles.reduce(into: [:]) { $0[$1] = Self.app($1, of: caller, in: view) }
        }
        let all = { @Sendable (view: RegistryView) -> [AppID: AppRecord]? in
            let apps = look(view)
            return apps.count == bundles.count ? apps : nil
        }
        if let apps = registry.known(all) { return apps }
        switch await registry.find(all) {
        case .found(let apps): return apps
        case .absent: return registry.known(look) ?? [:]
        case .unavailable: throw .registryUnavailable
        }
    }

    private func refusal(_ error: HTTPError) -> HTTPError {
        refused[error.code]?.add()
        return error
    }
}

extension HTTPError {
    /// Of a write: whose it is cannot be told now.
    static let registryUnavailable = serviceUnavailable(
        "registry_unavailable", "Not known to be accepted; repeating the same request is safe", retryAfter: 1)
    fileprivate static let tokenMalformed = unauthorized(
        "token_malformed", "The bearer token is not a device token of this installation")
    fileprivate static let tokenExpired = unauthorized("token_expired", "The device token has expired; enrol again")
    fileprivate static let tokenRevoked = unauthorized(
        Refusal.tokenRevoked.reason, "The device was revoked, or has been enrolled again since this token")
    fileprivate static let tokenWrongApp = unauthorized(
        "token_wrong_app", "The device token is of another app than bundleId names")
}
