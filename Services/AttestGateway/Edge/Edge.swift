package import HTTP
package import Messages
package import Messaging
package import ServiceKit

/// The role edge, wired: routes over a projection of the registry, a publisher and two questions.
package struct Edge: Sendable {
    /// What handlers look apps and keys up in.
    package let registry: RegistryProjection
    /// Keeps it up to date.
    package let follower: RegistryFollower
    /// Answers clients.
    package let router: Router

    /// - Parameters:
    ///   - publisher: sends what clients write.
    ///   - askRegistry: puts a question to the registry.
    ///   - askResolver: puts a question to the resolver.
    package init(
        _ settings: AttestGatewaySettings, broker: any Broker, publisher: any Publisher,
        askRegistry: @escaping Ask<RegistrySnapshot>, askResolver: @escaping Ask<UserGet>,
        now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger, metrics: MetricsRegistry
    ) {
        let clock = ContinuousClock()
        let start = clock.now
        let milliseconds: @Sendable () -> Int64 = { start.duration(to: clock.now).wholeMilliseconds }
        registry = RegistryProjection(ask: askRegistry, deadline: settings.publishDeadline, metrics: metrics)
        var timing = RegistryFollower.Timing()
        timing.patience = settings.registryPatience
        timing.answer = settings.queryDeadline
        follower = RegistryFollower(
            registry, broker: broker, ask: askRegistry, file: SnapshotFile(in: settings.storeFolder), timing: timing,
            now: now, logger: logger, metrics: metrics)
        let writes = SDKWrites(
            registry: registry,
            commands: CommandPublisher(
                publisher: publisher, deadline: settings.publishDeadline, logger: logger, metrics: metrics),
            limits: settings.rates.map { CallerLimits($0, milliseconds: milliseconds) },
            answers: RememberedAnswers(milliseconds: milliseconds), clients: ClientAddresses(proxies: settings.proxies),
            now: now, metrics: metrics)
        var router = Router()
        EdgeRoutes(
            identify: IdentifyUser(writes), attribute: AttributeTransaction(writes),
            showUser: ShowUser(registry: registry, ask: askResolver, deadline: settings.queryDeadline),
            // Two questions to the registry and the pause between them may come before the publishing.
            writeDeadline: settings.publishDeadline * 3 + .seconds(1), queryDeadline: settings.queryDeadline
        ).add(to: &router)
        self.router = router
    }
}
