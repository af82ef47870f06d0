package import HTTP
internal import JSON
package import Messages

/// `GET /api/v1/apps/{bundleId}/signposts?user=&name=&limit=&after=`: events of an app as they were stored, the newest
/// first, a page at a time; of several partitions one after the other.
///
/// `Authorization: Bearer tk_…` with the scope `read`. Answers a ``SignpostsAnswer``; refusals are those of
/// ``ServerAccess``, 400 `bad_value` for a query that cannot be taken, and 503 `event_ingest_unavailable`.
package struct PageSignposts: RouteHandler {
    /// Of a page, unless it is asked for less.
    static let mostEvents = 100

    private let access: ServerAccess
    private let ask: Ask<SignpostsPage>
    private let deadline: Duration

    /// - Parameters:
    ///   - ask: puts the question to a partition of event-ingest.
    ///   - deadline: how long all of them may take together.
    package init(access: ServerAccess, ask: @escaping Ask<SignpostsPage>, deadline: Duration) {
        self.access = access
        self.ask = ask
        self.deadline = deadline
    }

    package func handle(_ request: HTTP.Request) async throws -> Response {
        let app = try await SignpostQuestion.app(of: request, access)
        var cursor = try SignpostCursor(of: request)
        var question = SignpostsPage(partition: cursor.partition)
        question.organisation = app.organisation
        question.app = app.app
        question.user = try SignpostQuestion.text("user", of: request).map(AppUserID.init(rawValue:))
        question.name = try SignpostQuestion.text("name", of: request).map(EventName.init(rawValue:))
        question.limit = try Self.limit(of: request)

        let end = ContinuousClock.now + deadline
        while true {
            question.partition = cursor.partition
            question.after = cursor.after
            let page = try await SignpostQuestion.value { [question] in try await ask(question, max(.zero, end - .now))
            }
            // Of more than there are, another one answers: partitions are counted in buckets.
            guard cursor.partition < page.partitions else { return try .json(SignpostsAnswer([], next: nil)) }
            let next = cursor.next(after: page)
            // A partition may have looked at many without finding any.
            if let next, page.events.isEmpty, ContinuousClock.now < end {
                cursor = next
                continue
            }
            return try .json(SignpostsAnswer(page.events, next: next))
        }
    }

    private static func limit(of request: HTTP.Request) throws(HTTPError) -> Int {
        guard let text = request.query("limit") else { return mostEvents }
        guard let limit = Int(text), (1...mostEvents).contains(limit) else {
            throw .badRequest("bad_value", "limit must be 1 to \(mostEvents)", field: "limit")
        }
        return limit
    }
}

/// Where a page of events ends: `<partition>.<place in it>`.
struct SignpostCursor: Sendable, Equatable {
    var partition: Int
    /// Nil: from its newest on.
    var after: String?

    init(partition: Int, after: String? = nil) {
        self.partition = partition
        self.after = after
    }

    /// - Throws: 400 for one that no answer had.
    init(of request: HTTP.Request) throws(HTTPError) {
        guard let text = request.query("after") else {
            self.init(partition: 0)
            return
        }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let partition = UInt8(parts[0]), String(partition) == parts[0],
            partition < Bucket.count, parts[1].utf8.count <= 19,
            parts[1].utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw .cursorUnknown }
        self.init(partition: Int(partition), after: parts[1].isEmpty ? nil : String(parts[1]))
    }

    /// Where to go on; nil: nowhere.
    func next(after page: SignpostsPage.Value) -> SignpostCursor? {
        if let next = page.next { return SignpostCursor(partition: partition, after: next) }
        return partition + 1 < page.partitions ? SignpostCursor(partition: partition + 1) : nil
    }

    var text: String { "\(partition).\(after ?? "")" }
}

extension HTTPError {
    fileprivate static let cursorUnknown = badRequest(
        "bad_value", "after must be what an answer had as next", field: "after")
}

/// The answer of ``PageSignposts``. What is absent was not sent.
struct SignpostsAnswer: Codable {
    struct Event: Codable {
        let name: String
        let appUserId: String
        /// The app's own id for it.
        let id: String?
        /// When it happened, as far as that is believed.
        let at: Timestamp
        /// When it happened, as it was written.
        let sentAt: String?
        let properties: [String: AttributeValue]?
        let trust: Trust
        /// When it was accepted.
        let acceptedAt: Timestamp
    }

    /// The newest first, by when they were stored.
    let events: [Event]
    /// Give it as `after` to go on; absent where there are no more.
    let next: String?

    init(_ events: [StoredEvent], next: SignpostCursor?) {
        self.events = events.map { event in
            Event(
                name: event.name.rawValue, appUserId: event.user.rawValue, id: event.id, at: event.at,
                sentAt: event.sentAt, properties: event.properties, trust: event.trust, acceptedAt: event.acceptedAt)
        }
        self.next = next?.text
    }
}
