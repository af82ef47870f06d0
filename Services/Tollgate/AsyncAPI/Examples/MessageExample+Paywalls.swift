internal import Messages

extension MessageExample {
    static let paywalls = [
        MessageExample(
            PaywallPut(organisation: organisation, app: app, entitlement: entitlement, skus: [sku]),
            "What the paywall for an entitlement offers, in this order; an empty list takes the paywall out."),
        MessageExample(
            PaywallConfigured(
                paywall: PaywallConfiguration(
                    organisation: organisation, app: app, entitlement: entitlement, skus: [sku], version: 1,
                    changedAt: time)),
            "A paywall has changed."),
        MessageExample(
            PaywallList(organisation: organisation, app: app), "Asks for an app's paywalls, or every version of one."),
        MessageExample(
            PlacementPut(organisation: organisation, app: app, placement: placement, entitlement: entitlement),
            "Which paywall a place in an app shows; without an entitlement the place is taken out."),
        MessageExample(
            PlacementConfigured(
                placement: Placement(
                    organisation: organisation, app: app, placement: placement, entitlement: entitlement, version: 1,
                    changedAt: time)),
            "A placement has changed."),
        MessageExample(PlacementList(organisation: organisation, app: app), "Asks for an app's placements."),
        MessageExample(
            ExperimentCreate(
                organisation: organisation, app: app, experiment: experiment, entitlement: entitlement,
                name: "Annual first", coverage: 5_000, arms: arms, variants: variants),
            "A new experiment, as a draft."),
        MessageExample(
            ExperimentStart(organisation: organisation, app: app, experiment: experiment),
            "Starts a draft: its first epoch begins."),
        MessageExample(
            ExperimentChange(organisation: organisation, app: app, experiment: experiment, coverage: 10_000),
            "Changes an experiment; other arms or another coverage begin a new epoch of one that runs."),
        MessageExample(
            ExperimentStop(organisation: organisation, app: app, experiment: experiment),
            "Ends an experiment for good."),
        MessageExample(
            ExperimentChanged(
                experiment: Experiment(
                    organisation: organisation, app: app, id: experiment, entitlement: entitlement,
                    name: "Annual first", coverage: 5_000, arms: arms, variants: variants,
                    conversionWindowSeconds: 604_800, createdAt: time, changedAt: time)),
            "An experiment was created, started, changed or stopped: the whole record."),
        MessageExample(
            ExperimentList(organisation: organisation, app: app), "Asks for an app's experiments, a page at a time."),
        MessageExample(
            PaywallResolve(
                organisation: organisation, app: app, install: install, user: user, entitlement: entitlement,
                trust: .unverified),
            "What an install is to be offered; assigns it to a variant where an experiment runs."),
        MessageExample(
            PaywallAssigned(
                organisation: organisation, app: app, install: install, user: user, entitlement: entitlement,
                experiment: experiment, variant: arms[0].variant, epoch: 1, environment: .production,
                trust: .unverified, assignedAt: time),
            "An install was assigned to a variant, for good."),
        MessageExample(
            AssignmentList(organisation: organisation, app: app, install: install),
            "Asks what an install was assigned to."),
    ]

    private static let placement = PlacementID(rawValue: "settings")
    private static let sku = PaywallSKU(product: product, kind: .subscription)
    private static let variants = [
        Experiment.Variant(key: VariantKey(rawValue: "control"), skus: [sku]),
        Experiment.Variant(
            key: VariantKey(rawValue: "annual"),
            skus: [
                PaywallSKU(product: ProductID(rawValue: "com.example.tunes.pro.annual"), kind: .subscription), sku,
            ]),
    ]
    private static let arms = variants.map { Experiment.Arm(variant: $0.key, weight: 1) }
}
