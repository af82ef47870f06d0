import Messages

/// Which kinds of messages a run has in it. Whoever adds a kind to the catalogue has to say here what becomes of it.
enum Coverage {
    /// Which are not, and why.
    static let absent: [MessageKind: String] = [
        LinksResend.kind: "it tells anew what was told, under other ids; then nothing could be said to be told twice. "
            + "What is told anew comes from the echo.",
        RenewalRetracted.kind:
            "what stores sign of renewals is judged by the roots that an app has for ever: it turns only "
            + "with a release that judges otherwise.",
        EdgeCounts.kind: "edges tell it each other; there is one, and its limits are lifted.",
    ]

    /// As the report says it.
    static let lines = absent.map { "\($0.key): \($0.value)" }.sorted()

    /// Of those that leave no trace in any inbox, which steps, services or the comparison at the end ask.
    private static let asked: Set<MessageKind> = [
        // By steps.
        AttestationSubmit.kind, AssertionSubmit.kind, ArtifactVerify.kind, EventNameClaim.kind, PaywallResolve.kind,
        ArtifactsPage.kind, UserGet.kind, UserWhy.kind, UserExport.kind, SignpostsExport.kind, PaywallExport.kind,
        UserTraces.kind, SignpostsTraces.kind, PaywallTraces.kind, LinksContested.kind, MappingList.kind,
        PaywallList.kind, AssignmentList.kind, EventNameUsage.kind, RegistrySnapshot.kind,
        // At the end.
        UserDocumentGet.kind, ChainHistory.kind, DevicesPage.kind, SignpostsPage.kind, EventNameList.kind,
        FunnelSteps.kind, FunnelCount.kind, ExperimentList.kind, ExperimentTallyGet.kind, PlacementList.kind,
        HoldingsPage.kind,
    ]

    /// What is wrong with what is said here.
    ///
    /// - Parameters:
    ///   - applied: what a run has left in inboxes.
    ///   - told: the events that were heard.
    static func faults(applied: Set<MessageKind>, told: Set<MessageKind>) -> [String] {
        Catalogue.kinds.compactMap { description in
            let kind = description.kind
            let isThere =
                switch description.role {
                case .request, .query: asked.contains(kind)
                case .command: applied.contains(kind)
                case .event: told.contains(kind)
                }
            switch (isThere, absent[kind]) {
            case (false, nil): return "\(kind) is not in the load, and nobody says why"
            case (true, _?): return "\(kind) is in the load, though it is said that it is not"
            default: return nil
            }
        }
    }
}
