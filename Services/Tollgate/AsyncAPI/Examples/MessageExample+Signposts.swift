internal import Messages

extension MessageExample {
    static let eventName = EventName(rawValue: "paywall_viewed")

    static let signposts = [
        MessageExample(
            EventsRecord(
                organisation: organisation, app: app, user: user,
                events: [
                    SignpostEvent(name: eventName, at: time, properties: ["placement": .text("onboarding")]),
                    SignpostEvent(
                        name: .onboardingStep, at: time,
                        properties: ["step": .text("choose_plan"), "index": .integer(3), "value": .text("annual")]),
                ], trust: .unverified),
            """
            Events of one user of one app. Each is judged by itself; a name that the app has not used before is claimed for \
            it, up to 32 of them, and its events are kept out of sight until then.
            """),
        MessageExample(
            EventNameClaim(organisation: organisation, app: app, names: [eventName]),
            "Claims names of events for an app, before their events are stored."),
        MessageExample(
            EventNamePropose(organisation: organisation, app: app, names: [eventName]),
            "Claims names of events for an app, whose events wait for it in a user's partition."),
        MessageExample(
            EventNameJudged(
                book: EventNameBook(
                    organisation: organisation, app: app, names: [.init(name: eventName, since: time)])),
            "Names of an app's events were judged: all that it has then."),
        MessageExample(
            EventNameList(organisation: organisation, app: app), "Asks which names of events an app has used."),
        MessageExample(
            EventNameRelease(organisation: organisation, app: app, names: [eventName]),
            "Takes names of an app's events back, and drops what was accepted under them until then."),
        MessageExample(
            EventNameRule(organisation: organisation, app: app, claims: .attested),
            "Says who may claim names for an app's events."),
        MessageExample(
            EventNameUsage(partition: 0, organisation: organisation, app: app),
            "Asks a partition how many events it keeps under each name of an app."),
        MessageExample(
            SignpostsPage(partition: 0), "Asks a partition for events as they were stored, a page at a time."),
        MessageExample(
            FunnelSteps(partition: 0, organisation: organisation, app: app),
            "Asks a partition which onboarding steps an app's users were shown."),
        MessageExample(
            FunnelCount(partition: 0, organisation: organisation, app: app, steps: ["welcome", "choose_plan"]),
            "Asks a partition how far an app's users have come: steps, paywall, purchase."),
    ]
}
