package import HTTP
internal import JSON
package import Messages

/// `GET /api/v1/apps/{bundleId}/signposts/names`: the names that an app has used for its events, and how many it may.
///
/// `Authorization: Bearer tk_…` with the scope `read`. Answers an ``EventNamesAnswer``; refusals are those of
/// ``ServerAccess``, and 503 `event_ingest_unavailable`.
package struct ShowEventNames: RouteHandler {
    private let access: ServerAccess
    private let ask: Ask<EventNameList>
    private let deadline: Duration

    /// - Parameters:
    ///   - ask: puts the question to event-ingest.
    ///   - deadline: how long it may take.
    package init(access: ServerAccess, ask: @escaping Ask<EventNameList>, deadline: Duration) {
        self.access = access
        self.ask = ask
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let app = try await SignpostQuestion.app(of: request, access)
        let question = EventNameList(organisation: app.organisation, app: app.app)
        return try .json(EventNamesAnswer(await SignpostQuestion.value { try await ask(question, deadline) }))
    }
}

/// The answer of ``ShowEventNames``.
struct EventNamesAnswer: Codable {
    struct Name: Codable {
        let name: String
        /// When it was first used.
        let since: Timestamp
        /// By whose word: attested or unverified; absent: not known.
        let trust: Trust?
    }

    /// In the order in which they were first used.
    let names: [Name]
    /// How many an app may use.
    let budget: Int

    init(_ book: EventNameBook) {
        names = book.names.map { Name(name: $0.name.rawValue, since: $0.since, trust: $0.trust) }
        budget = EventName.budget
    }
}
