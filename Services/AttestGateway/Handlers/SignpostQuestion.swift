internal import HTTP
internal import Messages

/// What the routes that ask event-ingest have in common.
enum SignpostQuestion {
    /// The app that the path names, for a key that may read.
    static func app(of request: HTTP.Request, _ access: ServerAccess) async throws -> AppRecord {
        let key = try await access.key(of: request, allowing: .read)
        return try await access.app(AppID(rawValue: try UserQuestion.identifier("bundleId", of: request)), of: key)
    }

    /// A query parameter that is 1 to 256 bytes, where it is given.
    static func text(_ name: String, of request: HTTP.Request) throws(HTTPError) -> String? {
        guard let text = request.query(name) else { return nil }
        guard !text.isEmpty else { throw .empty(name) }
        try FieldRules.check(text, name, within: FieldRules.identifierBytes)
        return text
    }

    /// What event-ingest answers.
    ///
    /// - Throws: 503 where there is no answer.
    static func value<Value: Codable & Sendable>(of ask: () async throws -> Answer<Value>) async throws -> Value {
        // The registry knows the app; who refuses has not heard of it yet.
        guard case .applied(let value) = try? await ask() else { throw unavailable }
        return value
    }

    private static let unavailable = HTTPError.serviceUnavailable(
        "event_ingest_unavailable", "The answer cannot be had now; repeating is safe", retryAfter: 1)
}
