internal import Messages

/// `tollgate artifacts list`
struct ArtifactsList: ToolCommand {
    static let limit = Option.number(
        "--limit", "NUMBER", "How many at most", in: 1...100_000, default: 100)

    static let layout = CommandLayout(
        "artifacts list", "Says what stores have signed, or not, and what receipt-validator holds of it",
        details: """
            In the order of partition, organisation, app and digest. What was refused is listed with the step that failed \
            and why.
            """,
        options: ArtifactsFilter.all + [limit, WalkPosition.option] + Conversation.options,
        example: "tollgate artifacts list --organisation acme --reason untrusted_chain")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let question = try ArtifactsFilter.question(from: arguments)
        let (limit, start) = (try arguments.value(of: limit), try arguments.optional(WalkPosition.option))
        let artifacts = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            var found: [KeptArtifact] = []
            let walk = try await PartitionWalk(question, conversation)
            try await walk.resumable(from: start) { page, _ in
                found += page.artifacts
                return found.count < limit
            }
            return Array(found.prefix(limit))
        }
        let text = artifacts.isEmpty ? "there are none" : artifacts.map(\.text).joined(separator: "\n")
        return try Output(
            text, json: artifacts, remark: artifacts.count == limit ? "there may be more; --limit shows more" : nil)
    }
}

extension KeptArtifact {
    /// For people.
    var text: String {
        let turns = revision == 0 ? "" : ", turned \(revision) times"
        return
            "\(digest) \(organisation)/\(app) \(artifactKind): \(verdict.text), received \(receivedAt.rfc3339)\(turns)"
            .onOneLine
    }
}

extension KeptArtifact.Verdict {
    /// For people.
    var text: String {
        guard let reason else { return facts == 1 ? "\(outcome), 1 fact" : "\(outcome), \(facts) facts" }
        return "\(outcome) at \(step ?? "some step"): \(reason)"
    }
}
