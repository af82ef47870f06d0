internal import HTTP
internal import Messages
package import ServiceKit

/// Lets callers of the SDK's routes in, as often as the limits say.
package struct Admission: Sendable {
    private let limits: CallerLimits?
    private let clients: ClientAddresses
    private let limited: [CallerLimits.Excess.Limit: Counter]

    /// - Parameter limits: nil: none, for load tests.
    package init(_ limits: CallerLimits?, clients: ClientAddresses, metrics: MetricsRegistry) {
        self.limits = limits
        self.clients = clients
        limited = Dictionary(
            uniqueKeysWithValues: CallerLimits.Excess.Limit.allCases.map { limit in
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
        let address = clients.client(of: request)
        try refuse(limits.admit(app: app, install: install, user: user, address: address))
    }

    /// Counts a request that names neither app nor device.
    ///
    /// - Throws: 429.
    func admit(_ request: HTTP.Request) throws(HTTPError) {
        guard let limits else { return }
        try refuse(limits.admit(address: clients.client(of: request)))
    }

    /// Counts a user who is named by `caller`.
    ///
    /// - Throws: 429.
    func admit(_ user: AppUserID, of app: AppRecord, from caller: Caller) throws(HTTPError) {
        guard let limits else { return }
        try refuse(limits.admit(user: user, of: app))
    }

    private func refuse(_ excess: CallerLimits.Excess?) throws(HTTPError) {
        guard let excess else { return }
        limited[excess.limit]?.add()
        throw .tooManyRequests(retryAfter: excess.seconds)
    }
}
