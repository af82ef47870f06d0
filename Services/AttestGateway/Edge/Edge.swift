package import HTTP
package import Messages
package import Messaging
package import ServiceKit

/// The role edge, wired: routes over a projection of the registry, a publisher and questions to the services.
package struct Edge: Sendable {
    /// What handlers look apps and keys up in.
    package let registry: RegistryProjection
    /// Keeps it up to date.
    package let follower: RegistryFollower
    /// Hears of notifications that were refused, and of names of events that were judged.
    package let news: EventFollower
    /// Tells the other edges what this one lets through, and hears them; nil where callers are not limited.
    package let counting: CountExchange?
    /// Answers clients.
    package let router: Router

    /// - Parameters:
    ///   - keys: seal challenges and device tokens; the same for every edge.
    ///   - publisher: sends what clients write.
    ///   - questions: puts them to the services.
    package init(
        _ settings: AttestGatewaySettings, keys: TokenKeys, broker: any Broker, publisher: any Publisher,
        questions: Questions, now: @escaping @Sendable () -> Timestamp = { .now }, logger: Logger,
        metrics: MetricsRegistry
    ) {
        let clock = ContinuousClock()
        let start = clock.now
        let milliseconds: @Sendable () -> Int64 = { start.duration(to: clock.now).wholeMilliseconds }
        registry = RegistryProjection(ask: questions.registry, deadline: settings.publishDeadline, metrics: metrics)
        var timing = RegistryFollower.Timing()
        timing.patience = settings.registryPatience
        timing.answer = settings.queryDeadline
        follower = RegistryFollower(
            registry, broker: broker, ask: questions.registry, file: SnapshotFile(in: settings.storeFolder),
            timing: timing,
            now: now, logger: logger, metrics: metrics)
        let commands = CommandPublisher(
            publisher: publisher, deadline: settings.publishDeadline, logger: logger, metrics: metrics)
        let unverifiable = UnverifiableNotifications(limit: settings.unverifiableLimit)
        let limits = settings.rates.map { rates in
            CallerLimits(rates, edge: MessageID(at: now()).rawValue, milliseconds: milliseconds)
        }
        counting = limits.map { limits in
            CountExchange(
                of: limits, unverifiable: unverifiable, broker: broker, publisher: publisher, now: now,
                logger: logger, metrics: metrics)
        }
        let callers = Callers(keys: keys, registry: registry, metrics: metrics)
        let admission = Admission(
            limits, registry: registry, clients: ClientAddresses(proxies: settings.proxies), metrics: metrics)
        let answers = RememberedAnswers(milliseconds: milliseconds)
        let writes = SDKWrites(
            callers: callers, admission: admission, commands: commands, answers: answers, now: now, metrics: metrics)
        let enrolment = Enrolment(
            keys: keys, callers: callers, admission: admission, answers: answers, deadline: settings.queryDeadline,
            now: now, logger: logger, metrics: metrics)
        let access = ServerAccess(registry: registry)
        let names = EventNames(ask: questions.claim, deadline: settings.namesDeadline, metrics: metrics)
        news = EventFollower(
            "news", broker: broker,
            intakes: [
                .refusals(into: unverifiable, now: now),
                EventIntake { (event: EventNameJudged) in names.take(event.book) },
            ], logger: logger, metrics: metrics, begin: { names.forget() })
        var router = Router()
        EdgeRoutes(
            identify: IdentifyUser(writes), attribute: AttributeTransaction(writes),
            resolvePaywall: ResolvePaywall(
                writes, ask: questions.paywall, deadline: settings.paywallDeadline, logger: logger, metrics: metrics),
            recordImpression: RecordImpression(writes),
            recordEvents: RecordEvents(writes, names: names, metrics: metrics),
            challenge: IssueChallenge(enrolment), attest: AttestDevice(enrolment, ask: questions.attestation),
            assert: AssertDevice(enrolment, ask: questions.assertion),
            showUser: ShowUser(
                access: access, ask: questions.userDocument, askView: questions.user, deadline: settings.queryDeadline),
            explain: ExplainEntitlement(
                access: access, askUser: questions.why, askChain: questions.history, deadline: settings.queryDeadline),
            eventNames: ShowEventNames(access: access, ask: questions.eventNames, deadline: settings.queryDeadline),
            signposts: PageSignposts(access: access, ask: questions.signposts, deadline: settings.queryDeadline),
            funnel: ShowFunnel(
                access: access, askSteps: questions.funnelSteps, askCount: questions.funnelCount,
                deadline: settings.queryDeadline),
            verify: VerifyArtifact(
                access: access, ask: questions.verdict, deadline: settings.verifyDeadline, logger: logger,
                metrics: metrics),
            takeNotification: TakeNotification(
                registry: registry, commands: commands, unverifiable: unverifiable, now: now, metrics: metrics),
            // Two questions to the registry and the pause between them may come before the publishing.
            writeDeadline: settings.publishDeadline * 3 + .seconds(1), queryDeadline: settings.queryDeadline,
            verifyDeadline: settings.verifyDeadline
        ).add(to: &router)
        self.router = router
    }
}

extension EventIntake {
    /// Counts the notifications that the validator has refused.
    static func refusals(
        into unverifiable: UnverifiableNotifications, now: @escaping @Sendable () -> Timestamp
    ) -> EventIntake {
        EventIntake { (event: ArtifactRefused) in
            guard event.artifactKind == .notification else { return }
            unverifiable.note(event.app, of: event.organisation, at: now())
        }
    }
}
