internal import Messages

/// A kind as a document has to know it, whether it is of the catalogue or of every partition.
struct KindOnTheWire: Sendable {
    /// Which way it takes.
    enum Way: Sendable {
        case commands([ServiceName])
        case queries([ServiceName])
        case events(takers: [ServiceName])
    }

    let kind: MessageKind
    let way: Way
    /// Nil: anyone.
    let authors: [BrokerUser]?
    let body: any (Codable & Sendable).Type
    /// The value of its answer; nil: it is not answered.
    let answer: (any (Codable & Sendable).Type)?

    /// All of this release.
    static let all: [KindOnTheWire] =
        Catalogue.kinds.map(KindOnTheWire.init)
        + Catalogue.ofPartitions.map { ofPartitions($0) } + [
            KindOnTheWire(
                kind: PartitionReportGet.kind, way: .queries(ServiceName.all), authors: nil,
                body: PartitionReportGet.self, answer: PartitionReport.self),
            KindOnTheWire(
                kind: PublisherCheckpoint.kind, way: .commands(ServiceName.all),
                authors: ServiceName.all.map(BrokerUser.init(of:)), body: PublisherCheckpoint.self, answer: nil),
        ]
}

extension KindOnTheWire {
    fileprivate init(_ description: KindDescription) {
        func answer<M: AddressedMessage>(_ type: M.Type) -> any (Codable & Sendable).Type { M.Value.self }
        kind = description.kind
        authors = description.authors
        body = description.body
        self.answer = (description.body as? any AddressedMessage.Type).map { answer($0) }
        way =
            switch description.role {
            case .command: .commands(description.takers)
            case .request, .query: .queries(description.takers)
            case .event: .events(takers: description.takers)
            }
    }

    fileprivate static func ofPartitions<M: PartitionMessage>(_ type: M.Type) -> KindOnTheWire {
        KindOnTheWire(
            kind: M.kind, way: .queries(ServiceName.all), authors: [.operatorTool], body: type, answer: M.Value.self)
    }
}
