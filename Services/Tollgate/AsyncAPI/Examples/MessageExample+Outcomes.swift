internal import Messages

extension MessageExample {
    static let outcomes = [
        MessageExample(
            ImpressionRecord(
                organisation: organisation, app: app, install: install, experiment: experiment,
                renderedSkus: [product], storefront: "USA", trust: .attested),
            "A paywall was seen: the first one exposes the install to its variant; of all is kept what was rendered."),
        MessageExample(
            PaywallExposed(
                organisation: organisation, app: app, user: user, namedAt: time, install: install,
                experiment: experiment, variant: variant, epoch: 1, environment: .production, trust: .attested,
                exposedAt: time),
            "An install that has named this user has seen its variant of an experiment."),
        MessageExample(
            OutcomeCredit(
                organisation: organisation, app: app, install: install, experiment: experiment,
                environment: .production, user: user, namedAt: time, realm: .stores, transaction: transaction.id,
                purchase: OutcomeCredit.Purchase(
                    purchasedAt: later, isFirst: true, currency: "USD", paidMilliunits: 9990, rank: .verified),
                revision: time.millisecondsSince1970),
            "What a purchase of a user counts for in an experiment, or that it does so no more."),
        MessageExample(
            ExperimentTallyGet(
                partition: 0, organisation: organisation, app: app, experiment: experiment, at: later,
                windowMilliseconds: 604_800_000),
            "Asks a partition what it knows of an experiment's outcome; the partitions' answers are added up."),
    ]
}
