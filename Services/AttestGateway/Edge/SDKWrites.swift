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
    private let callers: Callers
    private let admission: Admission
    private let answers: RememberedAnswers
    private let dropped: Counter

    package init(
        callers: Callers, admission: Admission, commands: CommandPublisher, answers: RememberedAnswers,
        now: @escaping @Sendable () -> Timestamp, metrics: MetricsRegistry
    ) {
        self.callers = callers
        self.admission = admission
        self.commands = commands
        self.answers = answers
        self.now = now
        dropped = metrics.counter(
            "tollgate_edge_dropped_total", "Writes that were answered and not stored", ["reason": "bundle_unresolved"])
    }

    /// Who sends `request`, which came at `now`.
    ///
    /// - Throws: 401 for a token that is not good.
    func caller(of request: HTTP.Request, at now: Timestamp) throws(HTTPError) -> Caller {
        try callers.caller(of: request, at: now)
    }

    /// Sends what `write` asks for, once, and answers when the broker has it.
    ///
    /// - Parameters:
    ///   - send: publishes it for this app under this id.
    ///   - answer: the body of the 200.
    /// - Throws: 401 for another app's token, 409, 429, or 503 where it is not known to be accepted.
    func accept(
        _ write: Write, send: (AppRecord, MessageID) async throws -> Void, answer: (AppRecord) -> [UInt8]
    ) async throws -> Response {
        let key = try IdempotencyKey(of: write.request)
        try admission.admit(
            write.request, from: write.caller, app: write.app, install: write.install, user: write.user)
        guard let app = try await callers.app(write.app, of: write.caller) else {
            dropped.add()
            return .json(bytes: Self.bundleUnresolved)
        }
        try admission.admit(write.user, of: app, from: write.caller)
        guard let key else {
            try await send(app, MessageID(at: write.acceptedAt))
            return .json(bytes: answer(app))
        }
        let id = key.messageID(app: app, route: write.route)
        switch answers.begin(id, digest: Digest.sha256(write.request.body)) {
        case .answered(let body): return .json(bytes: body)
        case .otherBody: throw HTTPError.idempotencyKeyReused
        case .new, .unanswered: break
        }
        try await send(app, id)
        let body = answer(app)
        answers.end(id, answer: body)
        return .json(bytes: body)
    }

    private static let bundleUnresolved = Array(#"{"ok":true,"dropped":"bundle_unresolved"}"#.utf8)
}
