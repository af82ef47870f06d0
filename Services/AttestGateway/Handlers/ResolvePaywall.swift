package import HTTP
internal import JSON
package import Messages
internal import Messaging
package import ServiceKit

/// `POST /api/sdk/v1/paywall`: what the paywall of an entitlement offers to an install. Answers a ``PaywallAnswer``, or
/// `{"skus":[]}`, upon which the app shows its compiled-in list: where nothing is configured, where the bundle id is not
/// known here, and whatever goes wrong inside. No one waits longer for it than the deadline.
package struct ResolvePaywall: RouteHandler {
    private let writes: SDKWrites
    private let ask: Ask<PaywallResolve>
    private let deadline: Duration
    private let logger: Logger
    private let outcomes: [Outcome: Counter]

    /// - Parameters:
    ///   - ask: puts the question to paywall-experiments.
    ///   - deadline: how long the answer may take.
    package init(
        _ writes: SDKWrites, ask: @escaping Ask<PaywallResolve>, deadline: Duration, logger: Logger,
        metrics: MetricsRegistry
    ) {
        self.writes = writes
        self.ask = ask
        self.deadline = deadline
        self.logger = logger
        outcomes = Dictionary(
            uniqueKeysWithValues: Outcome.allCases.map { outcome in
                (
                    outcome,
                    metrics.counter(
                        "tollgate_edge_paywalls_total", "Paywalls that were asked for, by what they were answered from",
                        ["outcome": outcome.rawValue])
                )
            })
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let acceptedAt = writes.now()
        let caller = try writes.caller(of: request, at: acceptedAt)
        let body = try PaywallBody(request.body)
        let write = SDKWrites.Write(
            request: request, route: "paywall", acceptedAt: acceptedAt, caller: caller, app: body.app,
            user: body.user, install: body.install.rawValue)
        let key = try writes.admit(write)
        // To ask the registry there is no time; whoever has connected an app is heard of within milliseconds.
        guard let app = try writes.callers.known(body.app, of: caller) else { return nothing(.bundleUnresolved) }
        try writes.admit(body.user, of: app, from: caller)
        do {
            return try await writes.once(key, write, for: app) { _ in
                try await offer(body.question(for: app, trust: caller.trust))
            }
        } catch let error as HTTPError {
            throw error
        } catch let outcome as Outcome {
            return nothing(outcome)
        }
    }

    /// - Throws: an ``Outcome`` where there is none.
    private func offer(_ question: PaywallResolve) async throws -> [UInt8] {
        let offer: PaywallOffer
        do {
            switch try await ask(question, deadline) {
            case .applied(let value): offer = value
            case .refused(let refusal), .failed(let refusal):
                logger.debug("no paywall", ["error": .string("\(refusal)")])
                throw Outcome.refused
            }
        } catch let outcome as Outcome {
            throw outcome
        } catch {
            logger.debug("no paywall", ["error": .string("\(error)")])
            throw Outcome(error)
        }
        guard !offer.skus.isEmpty else { throw Outcome.notConfigured }
        outcomes[.offered]?.add()
        return try JSONCoding.encode(PaywallAnswer(offer))
    }

    private func nothing(_ outcome: Outcome) -> Response {
        outcomes[outcome]?.add()
        return .json(bytes: Self.nothing)
    }

    private static let nothing = Array(#"{"skus":[]}"#.utf8)

    /// What an answer was made of.
    private enum Outcome: String, CaseIterable, Error {
        case offered
        case notConfigured = "not_configured"
        case bundleUnresolved = "bundle_unresolved"
        /// paywall-experiments does not know the app yet, or takes none of such questions.
        case refused
        case noOwner = "no_owner"
        case broker
        case deadline
        case undecodable
        case failed

        init(_ error: any Error) {
            switch error as? RequestError {
            case .noOwner: self = .noOwner
            case .unavailable, .disconnected: self = .broker
            case .deadline: self = .deadline
            case .undecodable: self = .undecodable
            case nil: self = .failed
            }
        }
    }
}

/// The answer of ``ResolvePaywall``. What is absent does not apply.
struct PaywallAnswer: Codable {
    struct SKU: Codable {
        let productId: String
        /// `subscription` or `iap`.
        let kind: String
    }

    let entitlement: String
    /// In the order in which they are to be shown.
    let skus: [SKU]
    /// While an experiment is running that this install takes part in; so is `variantKey`.
    let experimentId: String?
    let variantKey: String?
    /// True where the caller chose the variant.
    let forced: Bool?
    /// How long the app may keep the answer.
    let ttlSeconds: Int

    init(_ offer: PaywallOffer) {
        entitlement = offer.entitlement.rawValue
        skus = offer.skus.map { SKU(productId: $0.product.rawValue, kind: $0.kind.rawValue) }
        experimentId = offer.experiment?.rawValue
        variantKey = offer.variant?.rawValue
        forced = offer.isForced == true ? true : nil
        ttlSeconds = offer.ttlSeconds
    }
}
