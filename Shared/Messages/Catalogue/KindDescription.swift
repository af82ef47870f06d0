/// What the topology and the lane have to know of a kind without knowing its type.
public struct KindDescription: Sendable, Hashable {
    /// How it travels.
    public enum Role: String, Sendable, Hashable, Codable {
        /// Durable, to one service.
        case command
        /// Transient, to one service, may write.
        case request
        /// Transient, to one service, changes nothing.
        case query
        /// From its owner to whoever subscribes.
        case event
    }

    /// Name and version.
    public let kind: MessageKind
    /// How it travels.
    public let role: Role
    /// Who may publish it; nil: anyone.
    public let authors: [BrokerUser]?
    /// Who takes it.
    public let takers: [ServiceName]
    /// Every partition takes every one of them.
    public let isConfiguration: Bool
    private let type: BodyType

    /// The type of its body.
    public var body: any Message.Type { type.type }

    /// Of a command.
    public init<C: Command>(_ type: C.Type) {
        self.init(C.self, role: .command, authors: C.authors, takers: [C.recipient])
    }
    /// Of a request.
    public init<R: Request>(_ type: R.Type) {
        self.init(R.self, role: .request, authors: R.authors, takers: [R.recipient])
    }
    /// Of a query.
    public init<Q: Query>(_ type: Q.Type) {
        self.init(Q.self, role: .query, authors: Q.authors, takers: [Q.recipient])
    }
    /// Of an event.
    public init<E: Event>(_ type: E.Type) {
        self.init(
            E.self, role: .event, authors: [BrokerUser(of: E.owner)], takers: E.subscribers,
            isConfiguration: E.isConfiguration)
    }

    private init<M: Message>(
        _ type: M.Type, role: Role, authors: [BrokerUser]?, takers: [ServiceName], isConfiguration: Bool = false
    ) {
        kind = M.kind
        self.type = BodyType(type: type)
        self.role = role
        self.authors = authors
        self.takers = takers
        self.isConfiguration = isConfiguration
    }
}

/// A type, compared by its identity.
private struct BodyType: Sendable, Hashable {
    let type: any Message.Type

    static func == (left: BodyType, right: BodyType) -> Bool {
        ObjectIdentifier(left.type) == ObjectIdentifier(right.type)
    }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }
}

/// Every kind of this release.
public enum Catalogue {
    /// In the order of the services' work.
    public static let kinds: [KindDescription] = [
        KindDescription(AppPut.self), KindDescription(KeyAdd.self), KindDescription(KeyRevoke.self),
        KindDescription(RegistrySnapshot.self), KindDescription(AppChanged.self), KindDescription(KeyChanged.self),
        KindDescription(AttestationSubmit.self), KindDescription(AssertionSubmit.self),
        KindDescription(DeviceRevoke.self), KindDescription(DeviceAttested.self), KindDescription(DeviceRevoked.self),
        KindDescription(DevicesPage.self), KindDescription(EdgeCounts.self), KindDescription(ArtifactSubmit.self),
        KindDescription(ArtifactVerify.self), KindDescription(ArtifactReverify.self),
        KindDescription(ArtifactsPage.self),
        KindDescription(TransactionVerified.self), KindDescription(TransactionRetracted.self),
        KindDescription(RenewalVerified.self), KindDescription(RenewalRetracted.self),
        KindDescription(NotificationVerified.self), KindDescription(ArtifactRefused.self),
        KindDescription(UserIdentify.self), KindDescription(LinkClaim.self),
        KindDescription(MappingSet.self), KindDescription(MappingList.self), KindDescription(MappingChanged.self),
        KindDescription(LinkChanged.self), KindDescription(SubscriptionChanged.self),
        KindDescription(EntitlementChanged.self), KindDescription(UserGet.self),
        KindDescription(UserDocumentGet.self), KindDescription(HoldingsPage.self),
        KindDescription(UserWhy.self), KindDescription(ChainHistory.self),
        KindDescription(LinkUndo.self), KindDescription(LinkUnpin.self), KindDescription(LinksContested.self),
        KindDescription(LinksResend.self), KindDescription(UserErase.self), KindDescription(UserErased.self),
        KindDescription(UserTraces.self), KindDescription(UserExport.self),
        KindDescription(CustomerPurchase.self), KindDescription(CustomerRefund.self),
        KindDescription(ImpressionRecord.self), KindDescription(PaywallExposed.self),
        KindDescription(OutcomeCredit.self), KindDescription(ExperimentTallyGet.self),
        KindDescription(EventsRecord.self), KindDescription(EventNameClaim.self),
        KindDescription(EventNamePropose.self), KindDescription(EventNameJudged.self),
        KindDescription(EventNameList.self), KindDescription(EventNameRelease.self),
        KindDescription(EventNameRule.self), KindDescription(EventNameUsage.self), KindDescription(SignpostsPage.self),
        KindDescription(FunnelSteps.self), KindDescription(FunnelCount.self),
        KindDescription(SignpostsTraces.self), KindDescription(SignpostsExport.self),
        KindDescription(PaywallTraces.self), KindDescription(PaywallExport.self),
        KindDescription(PaywallPut.self), KindDescription(PaywallConfigured.self), KindDescription(PaywallList.self),
        KindDescription(PlacementPut.self), KindDescription(PlacementConfigured.self),
        KindDescription(PlacementList.self), KindDescription(ExperimentCreate.self),
        KindDescription(ExperimentStart.self), KindDescription(ExperimentChange.self),
        KindDescription(ExperimentStop.self), KindDescription(ExperimentChanged.self),
        KindDescription(ExperimentList.self), KindDescription(PaywallResolve.self),
        KindDescription(PaywallAssigned.self), KindDescription(AssignmentList.self),
    ]

    /// The kinds by name.
    public static let byKind = Dictionary(uniqueKeysWithValues: kinds.map { ($0.kind, $0) })

    /// What the operator's tool asks each partition of every service, beside ``PartitionReportGet``.
    public static let ofPartitions: [any PartitionMessage.Type] = [
        DeadPageGet.self, DeadGroupsGet.self, AuditPageGet.self, DeadFreeze.self, DeadForetell.self, DeadReplay.self,
        DeadOutcomesGet.self, DeadArchive.self, DeadForget.self, DeadEdit.self, DeadImport.self,
    ]
}
