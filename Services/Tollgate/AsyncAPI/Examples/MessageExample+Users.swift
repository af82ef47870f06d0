internal import Messages

extension MessageExample {
    static let users = [
        MessageExample(
            SignpostsTraces(partition: 0, organisation: organisation, user: user),
            "Asks a partition of event-ingest where it names a user."),
        MessageExample(
            SignpostsExport(partition: 0, organisation: organisation, user: user),
            "Asks a partition of event-ingest for all that it keeps of a user, a page at a time."),
        MessageExample(
            PaywallTraces(partition: 0, organisation: organisation, user: user),
            "Asks a partition of paywall-experiments where it names a user."),
        MessageExample(
            PaywallExport(partition: 0, organisation: organisation, user: user),
            "Asks a partition of paywall-experiments for all that it keeps of a user, a page at a time."),
    ]
}
