internal import Messages

/// Everything that is kept about a user.
struct UserDocument: Encodable, Sendable {
    /// A transaction that he claimed, with its history.
    struct Chain: Encodable, Sendable {
        var realm: Realm
        var originalTransactionID: OriginalTransactionID
        var history: ChainHistoryView
    }

    var organisation: OrganisationID
    var user: AppUserID
    /// Absent: entitlement-resolver does not know him.
    var firstSeen: Timestamp?
    var lastSeen: Timestamp?
    /// What was said of him.
    var facts: [UserExportPage.Fact]
    /// What he holds, held, or claimed.
    var holdings: [UserExportPage.Holding]
    /// Entitlements that are told as active.
    var told: [UserExportPage.Told]
    /// What became known on his side.
    var history: [UserExportPage.Known]
    /// Of each of his holdings.
    var chains: [Chain]
    /// What came with his claims, as receipt-validator keeps it.
    var artifacts: [KeptArtifact]
    /// What the other services keep of him, by service.
    var services: [String: [UserRecordsPage.Record]] = [:]
    /// Services that do not answer: what they keep is missing here.
    var silent: [ServiceName] = []
    /// Dead letters that name him.
    var deadLetters: NamingLetters
    /// What the others keep.
    let others = ["attest-gateway": "keeps nothing by user"]

    /// For people, in a line.
    var summary: String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(number) \(number == 1 ? one : many)" }
        return """
            \(user): \(count(facts.count, "fact", "facts")), \
            \(count(holdings.count, "transaction", "transactions")) of which he holds \
            \(holdings.filter(\.isHeld).count), \
            \(count(told.count, "active entitlement", "active entitlements")), \
            \(count(history.count, "entry of history", "entries of history")), \
            \(count(artifacts.count, "artifact", "artifacts"))\(([""] + keepers + deadLetters.lines).joined(separator: "; "))
            """
    }

    private var keepers: [String] {
        services.sorted { $0.key < $1.key }.map { service, records in
            let counts = Dictionary(grouping: records, by: \.sort).mapValues(\.count)
            return "\(service): \(KeptRows.text(of: counts) ?? "nothing")"
        }
    }

    /// Asks everybody who may know something.
    ///
    /// - Throws: ``ToolFailure``.
    static func collected(
        about user: AppUserID, of organisation: OrganisationID, _ conversation: Conversation
    ) async throws -> UserDocument {
        var question = UserExport(organisation: organisation, user: user)
        var document = UserDocument(
            organisation: organisation, user: user, facts: [], holdings: [], told: [], history: [], chains: [],
            artifacts: [], deadLetters: try await NamingLetters(of: user, organisation, conversation))
        for keeper in UserKeeper.all where keeper.service != UserExport.recipient {
            if let records = try await keeper.records(of: user, organisation, conversation) {
                document.services[keeper.service.rawValue] = records
            } else {
                document.silent.append(keeper.service)
            }
        }
        guard var page = try await firstPage(question, conversation) else {
            guard document.services.values.contains(where: { !$0.isEmpty }) else {
                throw ToolFailure(.failed, "\(Refusal.userUnknown)")
            }
            return document
        }
        (document.firstSeen, document.lastSeen) = (page.firstSeen, page.lastSeen)
        document.facts = page.facts
        document.holdings = page.holdings
        document.told = page.told
        document.history = page.history
        while let next = page.next {
            guard next != question.after else {
                throw ToolFailure(.failed, "\(ServiceName.entitlementResolver) goes round in circles")
            }
            question.after = next
            page = try await conversation.ask(question)
            document.facts += page.facts
            document.holdings += page.holdings
            document.told += page.told
            document.history += page.history
        }
        for holding in document.holdings {
            let history = try await conversation.ask(
                ChainHistory(
                    organisation: organisation, realm: holding.realm,
                    originalTransactionID: holding.originalTransactionID))
            document.chains.append(
                Chain(
                    realm: holding.realm, originalTransactionID: holding.originalTransactionID,
                    history: history.concerning(user)))
        }
        let digests = document.chains.flatMap(\.history.claims).compactMap(\.digest)
        document.artifacts = try await artifacts(Set(digests).sorted(), of: organisation, conversation)
        return document
    }

    /// Nil: entitlement-resolver does not know him.
    private static func firstPage(
        _ question: UserExport, _ conversation: Conversation
    ) async throws -> UserExportPage? {
        do {
            return try await conversation.ask(question)
        } catch {
            if error.refusal?.reason == Refusal.userUnknown.reason { return nil }
            throw error
        }
    }

    /// Each is in the partition of its digest.
    private static func artifacts(
        _ digests: [ArtifactDigest], of organisation: OrganisationID, _ conversation: Conversation
    ) async throws -> [KeptArtifact] {
        guard !digests.isEmpty else { return [] }
        let partitions = try await ServicePartitions(of: ArtifactsPage.recipient, conversation)
        guard let count = PartitionCount(rawValue: partitions.count) else { return [] }
        var found: [KeptArtifact] = []
        for digest in digests {
            var question = ArtifactsPage(partition: Bucket(of: digest.rawValue).partition(of: count))
            (question.organisation, question.digest) = (organisation, digest)
            found += try await partitions.ask(question).artifacts
        }
        return found
    }
}

extension ChainHistoryView {
    /// Without the names of others: they are not the user's to know.
    fileprivate func concerning(_ user: AppUserID) -> ChainHistoryView {
        func named(_ other: AppUserID) -> AppUserID { other == user ? other : AppUserID(rawValue: "") }
        var view = self
        view.link?.user = named(link?.user ?? user)
        for index in view.claims.indices {
            view.claims[index].user = named(claims[index].user)
            if claims[index].user != user { view.claims[index].digest = nil }
        }
        for index in view.entries.indices { view.entries[index].user = entries[index].user.map(named) }
        return view
    }
}
