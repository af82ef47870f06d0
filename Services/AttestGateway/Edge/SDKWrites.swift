internal import Crypto
internal import HTTP
package import Messages
package import ServiceKit

/// What every write of the SDK API goes through, whatever it says: from who may write, over which app is meant, to the
/// broker's word.
package struct SDKWrites: Sendable {
    /// A request whose body is good.
    struct Write: Sendable {
        let request: HTTP.Request
        /// The route's own name; part of what an `Idempotency-Key` stands for.
        let route: String
        /// When it came.
        let acceptedAt: Timestamp
        let caller: Caller
        let app: AppID
        let user: AppUserID
        let install: String?
    }

    let commands: CommandPublisher
    let now: @Sendable () -> Timestamp
    private let registry: RegistryProjection
    private let limits: CallerLimits?
    private let answers: RememberedAnswers
    private let clients: ClientAddresses
    private let dropped: Counter
    private let limited: [CallerLimits.Excess.Limit: Counter]

    /// - Parameter limits: nil: none, for load tests.
    package init(
        registry: RegistryProjection, commands: CommandPublisher, limits: CallerLimits?, answers: RememberedAnswers,
        clients: ClientAddresses, now: @escaping @Sendable () -> Timestamp, metrics: MetricsRegistry
    ) {
        self.registry = registry
        self.commands = commands
        self.limits = limits
        self.answers = answers
        self.clients = clients
        self.now = now
        dropped = metrics.counter(
            "tollgate_edge_dropped_total", "Writes that were answered and not stored", ["reason": "bundle_unresolved"])
        limited = Dictionary(
            uniqueKeysWithValues: CallerLimits.Excess.Limit.allCases.map { limit in
                (
                    limit,
                    metrics.counter(
                        "tollgate_edge_limited_total", "Writes beyond a limit", ["limit": limit.rawValue])
                )
            })
    }

    /// Who sends `request`.
    ///
    /// - Throws: 401 for a token that is not good: nobody who shows one is taken for a caller without. This release
    ///   issues no device tokens, so none is.
    func caller(of request: HTTP.Request) throws(HTTPError) -> Caller {
        guard request.headers["Authorization"] == nil else {
            throw .unauthorized("token_malformed", "The bearer token is not a device token")
        }
        return .unattested
    }

    /// Sends what `write` asks for, once, and answers when the broker has it.
    ///
    /// - Parameters:
    ///   - send: publishes it for this app under this id.
    ///   - answer: the body of the 200.
    /// - Throws: 409, 429, or 503 where it is not known to be accepted.
    func accept(
        _ write: Write, send: (AppRecord, MessageID) async throws -> Void, answer: (AppRecord) -> [UInt8]
    ) async throws -> Response {
        let key = try IdempotencyKey(of: write.request)
        if let limits {
            let address = clients.client(of: write.request)
            try refuse(limits.admit(app: write.app, install: write.install, user: write.user, address: address))
        }
        guard let app = try await resolve(write.app) else {
            dropped.add()
            return .json(bytes: Self.bundleUnresolved)
        }
        if let limits { try refuse(limits.admit(user: write.user, of: app)) }
        guard let key else {
            try await send(app, MessageID(at: write.acceptedAt))
            return .json(bytes: answer(app))
        }
        let id = key.messageID(app: app, route: write.route)
        switch answers.begin(id, digest: Digest.sha256(write.request.body)) {
        case .answered(let body): return .json(bytes: body)
        case .otherBody:
            throw HTTPError(
                .conflict, "idempotency_key_reused", "This Idempotency-Key was used for another body",
                field: "Idempotency-Key")
        case .new, .unanswered: break
        }
        try await send(app, id)
        let body = answer(app)
        answers.end(id, answer: body)
        return .json(bytes: body)
    }

    /// The app meant; nil if there is none, or if several organisations have connected it.
    private func resolve(_ bundle: AppID) async throws -> AppRecord? {
        // Without a suspension where it is known.
        if let app = registry.known({ $0.app(bundle) }) { return app }
        switch await registry.find({ $0.app(bundle) }) {
        case .found(let app): return app
        case .absent: return nil
        case .unavailable:
            throw HTTPError.serviceUnavailable(
                "registry_unavailable", "Not known to be accepted; repeating the same request is safe", retryAfter: 1)
        }
    }

    private func refuse(_ excess: CallerLimits.Excess?) throws(HTTPError) {
        guard let excess else { return }
        limited[excess.limit]?.add()
        throw .tooManyRequests(retryAfter: excess.seconds)
    }

    private static let bundleUnresolved = Array(#"{"ok":true,"dropped":"bundle_unresolved"}"#.utf8)
}
