internal import HTTP
internal import Messages

/// What a server's request needs before anything else: a key that is good, and an app of the key's organisation.
///
/// | status | code | when |
/// |---|---|---|
/// | 401 | `key_missing`, `key_unknown`, `key_revoked` | no key, none of ours, not one any more |
/// | 403 | `scope_insufficient` | the key may not do this |
/// | 404 | `app_unknown` | the key's organisation has no such app |
/// | 503 | `registry_unavailable` | whether key or app is there cannot be told now |
package struct ServerAccess: Sendable {
    private let registry: RegistryProjection

    package init(registry: RegistryProjection) { self.registry = registry }

    /// The key of `request`, which allows `scope`.
    func key(of request: HTTP.Request, allowing scope: KeyRecord.Scope) async throws -> KeyRecord {
        let key = try ServerKey(authorization: request.headers["Authorization"])
        guard let record = try await find({ $0.key(digest: key.digest) }) else { throw ServerKey.unknown }
        try ServerKey.check(record, allows: scope)
        return record
    }

    /// The app of this bundle id that `key` opens.
    func app(_ bundle: AppID, of key: KeyRecord) async throws -> AppRecord {
        guard let app = try await find({ $0.app(bundle, of: key.organisation) }) else {
            throw HTTPError.notFound(Refusal.appNotOfKey.reason, Refusal.appNotOfKey.message)
        }
        return app
    }

    private func find<Value: Sendable>(_ look: (RegistryView) -> Value?) async throws -> Value? {
        switch await registry.find(look) {
        case .found(let value): return value
        case .absent: return nil
        case .unavailable:
            throw HTTPError.serviceUnavailable(
                "registry_unavailable", "Keys and apps cannot be looked up now; repeating is safe", retryAfter: 1)
        }
    }
}

extension Refusal {
    /// To whoever asks with a key it does not matter whether somebody else has the app.
    static let appNotOfKey = Refusal("app_unknown", "The key's organisation has no such app")
}
