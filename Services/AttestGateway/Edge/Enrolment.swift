internal import Crypto
internal import HTTP
package import Messages
package import ServiceKit

/// How a device gets a token: the edge looks at form, limits, app and challenge, the registry verifies, and the edge makes
/// the token of what the registry says. Without the registry's word there is none.
///
/// | status | code | when |
/// |---|---|---|
/// | 400 | | no JSON that is taken, or a field that `field` names |
/// | 401 | `token_…` | a token was sent along, and is not good |
/// | 401 | `challenge_…` and the steps that `Refusal` names | it has failed; the challenge is spent from here on |
/// | 404 | `bundle_unresolved` | no organisation has connected this bundle id, or more than one has |
/// | 409 | `idempotency_key_reused` | the key came with another body |
/// | 429 | `too_many_requests` | a limit, as for callers without a token |
/// | 503 | `registry_unavailable` | the registry does not answer in time; the same body again is safe |
package struct Enrolment: Sendable {
    let keys: TokenKeys
    let callers: Callers
    let admission: Admission
    /// How long the registry may take.
    let deadline: Duration
    let now: @Sendable () -> Timestamp
    private let answers: RememberedAnswers
    private let logger: Logger
    private let outcomes: OutcomesByRoute

    package init(
        keys: TokenKeys, callers: Callers, admission: Admission, answers: RememberedAnswers, deadline: Duration,
        now: @escaping @Sendable () -> Timestamp, logger: Logger, metrics: MetricsRegistry
    ) {
        self.keys = keys
        self.callers = callers
        self.admission = admission
        self.answers = answers
        self.deadline = deadline
        self.now = now
        self.logger = logger
        outcomes = OutcomesByRoute(metrics)
    }

    /// The answer with a token, once the registry has said of whom.
    ///
    /// - Parameters:
    ///   - route: its name; part of what an `Idempotency-Key` stands for.
    ///   - ask: has the registry verify the proof, and spend the challenge, which is good until then.
    func token(
        for request: HTTP.Request, route: String, proof kind: DeviceProof.Kind,
        ask: (_ proof: DeviceProof, _ app: AppRecord, _ expiresAt: Timestamp) async throws -> Answer<DeviceStanding>
    ) async throws -> Response {
        let acceptedAt = now()
        let caller = try callers.caller(of: request, at: acceptedAt)
        let proof = try DeviceProof(request.body, as: kind)
        let key = try IdempotencyKey(of: request)
        // Whoever has a token does not need another one so often that it would count as his writes do.
        try admission.admit(
            request, from: .unattested, app: proof.app, install: proof.keyID.rawValue,
            user: AppUserID(rawValue: ""))
        guard let app = try await callers.app(proof.app, of: caller) else {
            throw HTTPError.bundleUnresolved
        }
        if let key { try refuseOtherBody(request, key.requestID(app: app, route: route)) }
        let expiresAt = try expiry(of: proof.challenge, at: acceptedAt)
        let standing = try await standing(route) { try await ask(proof, app, expiresAt) }
        let token = DeviceToken(of: standing, expiresAt: acceptedAt + DeviceToken.lifetime)
        return .json(bytes: Array("{\"deviceToken\":\"\(token.text(sealedWith: keys))\"}".utf8))
    }

    /// Only what a key stands for is kept, never the answer to it: the registry gives the same body the same outcome, and
    /// no token is kept anywhere.
    private func refuseOtherBody(_ request: HTTP.Request, _ id: MessageID) throws(HTTPError) {
        if answers.begin(id, digest: Digest.sha256(request.body), from: .unverified) == .otherBody {
            throw .idempotencyKeyReused
        }
    }

    /// Until when `challenge` is good, or was: the registry knows the outcome of one that was spent in time.
    private func expiry(of challenge: String, at now: Timestamp) throws(HTTPError) -> Timestamp {
        switch Challenge.read(challenge, at: now, keys: keys) {
        case .good(let until): return until
        case .expired(let since) where now < since + AttestationSubmit.repeatable: return since
        case .expired: throw HTTPError(failed: .challengeExpired)
        case .unknown: throw HTTPError(failed: .challengeUnknown)
        }
    }

    private func standing(
        _ route: String, _ ask: () async throws -> Answer<DeviceStanding>
    ) async throws(HTTPError) -> DeviceStanding {
        let why: String
        do {
            switch try await ask() {
            case .applied(let standing):
                outcomes.count(route, "issued")
                return standing
            case .refused(let refusal):
                outcomes.count(route, "refused")
                throw refusal == .appUnknown ? HTTPError.bundleUnresolved : HTTPError(failed: refusal)
            case .failed(let refusal): why = "\(refusal)"
            }
        } catch let error as HTTPError {
            throw error
        } catch {
            why = "\(error)"
        }
        outcomes.count(route, "unavailable")
        logger.debug("no word on a device", ["error": .string(why)])
        throw .serviceUnavailable(
            "registry_unavailable", "The device cannot be verified now; repeating the same request is safe",
            retryAfter: 1)
    }
}

/// What became of those who asked for a token.
private struct OutcomesByRoute: Sendable {
    private let counters: [String: [String: Counter]]

    init(_ metrics: MetricsRegistry) {
        counters = Dictionary(
            uniqueKeysWithValues: ["attest", "assert"].map { route in
                (
                    route,
                    Dictionary(
                        uniqueKeysWithValues: ["issued", "refused", "unavailable"].map { outcome in
                            (
                                outcome,
                                metrics.counter(
                                    "tollgate_edge_enrolments_total", "Devices that asked for a token",
                                    ["outcome": outcome, "route": route])
                            )
                        })
                )
            })
    }

    func count(_ route: String, _ outcome: String) { counters[route]?[outcome]?.add() }
}

extension DeviceToken {
    /// Of a device as it is now.
    fileprivate init(of standing: DeviceStanding, expiresAt: Timestamp) {
        self.init(
            device: AttestedDevice(standing),
            // Whatever else Apple may come to vouch for is no customer's until we know it.
            isDevelopment: standing.environment != .production, generation: UInt32(clamping: standing.generation),
            expiresAt: expiresAt)
    }
}

extension HTTPError {
    fileprivate static let bundleUnresolved = HTTPError.notFound(
        "bundle_unresolved", "This bundle id is connected by no organisation, or by more than one")

    /// The step that `refusal` names has failed.
    fileprivate init(failed refusal: Refusal) { self = .unauthorized(refusal.reason, refusal.message) }
}
