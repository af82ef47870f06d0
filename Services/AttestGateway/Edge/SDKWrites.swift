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
        /// Nil where it names none.
        let user: AppUserID?
        let install: String?
    }

    let commands: CommandPublisher
    let now: @Sendable () -> Timestamp
    let callers: Callers
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
        let key = try admit(write)
        guard let app = try await callers.app(write.app, of: write.caller) else { return drop() }
        if let user = write.user { try admit(user, of: app, from: write.caller) }
        return try await once(key, write, for: app) { id in
            try await send(app, id)
            return answer(app)
        }
    }

    /// Counts `write` against the limits.
    ///
    /// - Returns: what its client calls it.
    /// - Throws: 400 for a key of another form, 429.
    func admit(_ write: Write) throws(HTTPError) -> IdempotencyKey? {
        let key = try IdempotencyKey(of: write.request)
        try admission.admit(
            write.request, from: write.caller, app: write.app, install: write.install,
            user: write.user ?? AppUserID(rawValue: ""))
        return key
    }

    /// Counts a user whom `caller` names.
    ///
    /// - Throws: 429.
    func admit(_ user: AppUserID, of app: AppRecord, from caller: Caller) throws(HTTPError) {
        try admission.admit(user, of: app, from: caller)
    }

    /// The answer to a write for an app that nobody has connected, or several.
    func drop() -> Response {
        dropped.add()
        return .json(bytes: Self.bundleUnresolved)
    }

    /// Does `work` and answers with the body that it makes; a repeat under the same key gets that without it.
    ///
    /// - Parameter work: gets the id of the message that is to be sent. What it throws is not remembered.
    /// - Throws: 409 for another body under the key.
    func once(
        _ key: IdempotencyKey?, _ write: Write, for app: AppRecord, _ work: (MessageID) async throws -> [UInt8]
    ) async throws -> Response {
        guard let key else { return .json(bytes: try await work(MessageID(at: write.acceptedAt))) }
        let (request, trust) = (key.requestID(app: app, route: write.route), write.caller.trust)
        switch answers.begin(request, digest: Digest.sha256(write.request.body), from: trust) {
        case .answered(let body): return .json(bytes: body)
        case .otherBody: throw HTTPError.idempotencyKeyReused
        case .new, .unanswered: break
        }
        let body = try await work(key.messageID(app: app, route: write.route, trust: trust))
        answers.end(request, answer: body, from: trust)
        return .json(bytes: body)
    }

    /// The answer to what needs none.
    static let ok = Array(#"{"ok":true}"#.utf8)
    private static let bundleUnresolved = Array(#"{"ok":true,"dropped":"bundle_unresolved"}"#.utf8)
}
