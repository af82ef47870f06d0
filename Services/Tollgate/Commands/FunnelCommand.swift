internal import Messages

/// `tollgate funnel`
struct FunnelCommand: ToolCommand {
    static let from = Option<Timestamp>(
        "--from", "TIME", "Only users whose first event was then or later: a time, or how long ago",
        expectation: PointInTime.expectation, parse: PointInTime.parse)
    static let to = Option<Timestamp>(
        "--to", "TIME", "Only users whose first event was before: a time, or how long ago",
        expectation: PointInTime.expectation, parse: PointInTime.parse)
    static let by = Option<String>(
        "--by", "answer", "Also how many of those buy who gave each answer to STEP", expectation: "answer"
    ) { $0 == "answer" ? $0 : nil }
    static let environment = Option<StoreEnvironment>(
        "--environment", "NAME", "Whose purchases and paywalls count", expectation: "production or sandbox",
        default: "production"
    ) { text in [StoreEnvironment.production, .sandbox].first { $0.rawValue == text } }

    static let trust = Option<FunnelTrust>(
        "--trust", "TRUST", "By whose word steps and paywalls count", expectation: "attested, unverified or all",
        default: "all", parse: FunnelTrust.init(rawValue:))

    /// By whose word a funnel is asked for.
    enum FunnelTrust: String {
        case all
        case attested
        case unverified

        fileprivate var trust: Trust? { self == .all ? nil : Trust(rawValue: rawValue) }
    }

    static let layout = CommandLayout(
        "funnel", "Says how far an app's users come: onboarding steps, paywall, purchase",
        details: """
            Each stage tells how many users reached it, how many of all that is, and how many of those who reached the \
            stage before. Without a time it is about everybody there ever was; with --from and --to about those whose \
            first step, paywall or purchase was in that time, and about all that they have done since. Anybody can send \
            steps: with --trust attested it is about what genuine apps on genuine devices told, and about users of whom \
            they told anything; without it their word counts before that of others.
            """,
        operands: [Operand("STEP", "The onboarding step whose answers --by answer tells", isRequired: false)],
        options: [Subject.organisation, Subject.app, from, to, by, environment, trust] + Conversation.options,
        example: "tollgate funnel --organisation acme --app com.example.tunes --from 720h --by answer choose_plan")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let app = try arguments.value(of: Subject.app)
        let question = FunnelCount(
            partition: 0, organisation: try arguments.value(of: Subject.organisation), app: app, steps: [],
            environment: try arguments.value(of: environment), from: try arguments.optional(from),
            to: try arguments.optional(to), answersTo: arguments.operands(from: 0).first,
            trust: try arguments.value(of: trust).trust)
        guard try (arguments.optional(by) == nil) == (question.answersTo == nil) else {
            throw arguments.wrong("--by answer and STEP go together")
        }
        if let from = question.from, let to = question.to, from >= to {
            throw arguments.wrong("--from has to be before --to")
        }
        let funnel = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await Funnel.asked(question, conversation)
        }
        return try Output(FunnelText(funnel).text, json: funnel)
    }
}

extension Funnel {
    /// A step that was told a moment ago comes into the funnel some hundred milliseconds later: it is waited for.
    fileprivate static func asked(_ question: FunnelCount, _ conversation: Conversation) async throws -> Funnel {
        let partitions = try await ServicePartitions(of: .eventIngest, conversation)
        let survey = FunnelSurvey(question) {
            try await partitions.ask($0)
        } askCount: {
            try await partitions.ask($0)
        }
        let isMissing = { (found: FunnelSurvey.Steps) in
            question.answersTo.map { step in !found.steps.contains { $0.step == step } } ?? false
        }
        let found = try await conversation.onceNewsHasCome {
            try await survey.steps()
        } isMissing: {
            isMissing($0)
        }
        if let step = question.answersTo, isMissing(found) {
            throw ToolFailure(
                .failed, "\(question.app) has declared no onboarding step \(step.onOneLine)",
                advice: "tollgate funnel without --by names all of them")
        }
        return try await survey.funnel(by: found)
    }
}
