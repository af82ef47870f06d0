package import Messages
package import Messaging

/// What an edge asks of the services.
package struct Questions: Sendable {
    /// The registry: apps, keys and devices.
    package var registry: Ask<RegistrySnapshot>
    /// The registry: whether an attestation is good.
    package var attestation: Ask<AttestationSubmit>
    /// The registry: whether an assertion is good.
    package var assertion: Ask<AssertionSubmit>
    /// The resolver: a user as the server API tells of him.
    package var userDocument: Ask<UserDocumentGet>
    /// The resolver: a user as an app sees him.
    package var user: Ask<UserGet>
    /// The resolver: the past of a user.
    package var why: Ask<UserWhy>
    /// The resolver: the past of a chain.
    package var history: Ask<ChainHistory>
    /// The validator: the verdict on an artifact.
    package var verdict: Ask<ArtifactVerify>
    /// The experiments: what an install is to be offered.
    package var paywall: Ask<PaywallResolve>
    /// Event-ingest: whether an app may use names for its events.
    package var claim: Ask<EventNameClaim>
    /// Event-ingest: which names an app uses.
    package var eventNames: Ask<EventNameList>
    /// Event-ingest: events as they were stored.
    package var signposts: Ask<SignpostsPage>
    /// Event-ingest: which onboarding steps an app's users were shown.
    package var funnelSteps: Ask<FunnelSteps>
    /// Event-ingest: how far an app's users have come.
    package var funnelCount: Ask<FunnelCount>

    /// All of them through one reply queue.
    package init(through requester: Requester) {
        registry = Self.asking(requester)
        attestation = Self.requesting(requester)
        assertion = Self.requesting(requester)
        userDocument = Self.asking(requester)
        user = Self.asking(requester)
        why = Self.asking(requester)
        history = Self.asking(requester)
        verdict = Self.requesting(requester)
        paywall = Self.requesting(requester)
        claim = Self.requesting(requester)
        eventNames = Self.asking(requester)
        signposts = Self.asking(requester)
        funnelSteps = Self.asking(requester)
        funnelCount = Self.asking(requester)
    }

    private static func asking<Q: Query>(_ requester: Requester) -> Ask<Q> {
        { try await requester.ask($0, within: $1) }
    }

    private static func requesting<R: Request>(_ requester: Requester) -> Ask<R> {
        { try await requester.request($0, within: $1) }
    }
}
