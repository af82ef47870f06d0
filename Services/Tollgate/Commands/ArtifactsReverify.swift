internal import Messages

/// `tollgate artifacts reverify`
struct ArtifactsReverify: ToolCommand {
    static let yes = Flag("--yes", "Let them turn; without it nothing is changed")
    static let rate = Option.number(
        "--rate", "NUMBER", "Look at so many artifacts a second at most", in: 1...100_000, default: 500)

    static let layout = CommandLayout(
        "artifacts reverify", "Shows which verdicts would turn if they were reached today, and lets them turn",
        details: """
            Every artifact that is kept is judged by the rules of the release that runs, under the roots and keys that \
            its app has now. Without --yes it is only said which verdicts would turn, and nothing is changed. With it, what \
            was told by a verdict that turns is taken back, and what the new one tells is told: entitlements follow. It may \
            be stopped at any time and begun again: what has turned stays, and does not turn twice.
            """,
        options: ArtifactsFilter.all + [yes, rate, WalkPosition.option, OperatorOptions.by] + Conversation.options,
        example: "tollgate artifacts reverify --organisation acme --kind purchase")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        var question = try ArtifactsFilter.question(from: arguments)
        question.onlyTurning = true
        let (rate, start) = (try arguments.value(of: rate), try arguments.optional(WalkPosition.option))
        let isDone = arguments.isSet(yes)
        let result = try await Conversation.open(arguments, in: surroundings) { [question] conversation, _ in
            var result = Reverification(isDone: isDone)
            let walk = try await PartitionWalk(question, conversation, rate: rate)
            try await walk.resumable(from: start) { page, _ in
                result.looked += page.looked
                for artifact in page.artifacts {
                    guard isDone else {
                        result.add(artifact, turningTo: artifact.anew)
                        continue
                    }
                    let after = try await conversation.command(
                        ArtifactReverify(
                            organisation: artifact.organisation, app: artifact.app, digest: artifact.digest,
                            artifactKind: artifact.artifactKind))
                    // Somebody else may have been faster, or the app has been changed since the look.
                    if after.revision != artifact.revision { result.add(artifact, turningTo: after.verdict) }
                }
                return true
            }
            return result
        }
        return try Output(result.text, json: result)
    }
}

/// Which verdicts turn, or have turned.
struct Reverification: Encodable, Sendable {
    /// Verdicts of one kind that turn in the same way.
    struct Turn: Encodable, Sendable {
        var artifactKind: Artifact.Kind
        var from: KeptArtifact.Verdict
        var to: KeptArtifact.Verdict
        var count: Int
        /// The first few.
        var examples: [ArtifactDigest]
    }

    /// Whether they have turned.
    var isDone: Bool
    /// How many artifacts were looked at.
    var looked = 0
    private(set) var turns: [Turn] = []

    init(isDone: Bool) { self.isDone = isDone }

    mutating func add(_ artifact: KeptArtifact, turningTo verdict: KeptArtifact.Verdict?) {
        guard let verdict else { return }
        let known = turns.firstIndex {
            $0.artifactKind == artifact.artifactKind && $0.from == artifact.verdict && $0.to == verdict
        }
        guard let known else {
            turns.append(
                Turn(
                    artifactKind: artifact.artifactKind, from: artifact.verdict, to: verdict, count: 1,
                    examples: [artifact.digest]))
            return
        }
        turns[known].count += 1
        if turns[known].examples.count < 3 { turns[known].examples.append(artifact.digest) }
    }

    /// For people.
    var text: String {
        let lines = turns.map { turn in
            "\(turn.count) \(turn.artifactKind): \(turn.from.text) -> \(turn.to.text), such as \(turn.examples[0])"
                .onOneLine
        }
        let total = turns.reduce(0) { $0 + $1.count }
        let verb =
            switch (isDone, total) {
            case (_, 0): "no verdict turns"
            case (true, _): total == 1 ? "1 verdict has turned" : "\(total) verdicts have turned"
            case (false, _): total == 1 ? "1 verdict would turn" : "\(total) verdicts would turn"
            }
        let advice = isDone || total == 0 ? "" : "; nothing was changed, --yes does it"
        return (lines + ["looked at \(looked); \(verb)\(advice)"]).joined(separator: "\n")
    }
}
