internal import HTTP
internal import Messages
package import ServiceKit

/// Lets callers of the SDK's routes in, as often as the limits say.
package struct Admission: Sendable {
    private let limits: CallerLimits?
    private let registry: RegistryProjection
    private let clients: ClientAddresses
    private let limited: [CallerLimits.Limit: Counter]

    /// - Parameters:
    ///   - limits: nil: none, for load tests.
    ///   - registry: knows the apps that have limits of their own.
    package init(
        _ limits: CallerLimits?, registry: RegistryProjection, clients: ClientAddresses, metrics: MetricsRegistry
    ) {
        self.limits = limits
        self.registry = registry
        self.clients = clients
        limited = Dictionary(
            uniqueKeysWithValues: CallerLimits.Limit.allCases.map { limit in
                (
                    limit,
                    metrics.counter(
                        "tollgate_edge_limited_total", "Writes beyond a limit", ["limit": limit.rawValue])
                )
            })
    }

    /// Counts a request.
    ///
    /// - Parameters:
    ///   - install: stands for the device of a caller without a token.
    ///   - user: stands for it, together with the address, where there is no `install`.
    /// - Throws: 429.
    func admit(
        _ request: HTTP.Request, from caller: Caller, app: AppID, install: String?, user: AppUserID
    ) throws(HTTPError) {
        guard let limits else { return }
        let write = CallerLimits.Write(
            caller: caller, app: app, user: user, install: install, address: clients.client(of: request))
        let record = registry.known { view in
            caller.device.map { view.app($0.app, of: $0.organisation) } ?? view.app(app)
        }
        try refuse(limits.admit(write, own: record?.limits))
    }

    /// Counts a request that names neither app nor device.
    ///
    /// - Throws: 429.
    func admit(_ request: HTTP.Request) throws(HTTPError) {
        guard let limits else { return }
        try refuse(limits.admit(address: clients.client(of: request)))
    }

    /// Counts a user who is named by `caller`; one who is attested is believed.
    ///
    /// - Throws: 429.
    func admit(_ user: AppUserID, of app: AppRecord, from caller: Caller) throws(HTTPError) {
        guard let limits, caller.trust == .unverified else { return }
        try refuse(limits.admit(user: user, of: app))
    }

    private func refuse(_ excess: CallerLimits.Excess?) throws(HTTPError) {
        guard let excess else { return }
        limited[excess.limit]?.add()
        throw .tooManyRequests("The limit of \(excess.limit.sentence) is reached", retryAfter: excess.seconds)
    }
}

extension CallerLimits.Limit {
    /// Of what, for whoever reads a client's log.
    fileprivate var sentence: String {
        switch self {
        case .organisation: "writes a minute of all attested devices of the organisation"
        case .device: "writes a minute of one device without a token"
        case .address: "writes a minute without a token from one address"
        case .users: "new users a minute of the app, as callers without a token name them"
        case .attestedDevice: "writes a minute of one attested device"
        }
    }
}
