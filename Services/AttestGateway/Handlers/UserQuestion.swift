internal import HTTP
internal import Messages

/// What the routes that ask the resolver about a user have in common.
enum UserQuestion {
    /// Production unless given.
    static func environment(of request: HTTP.Request) throws(HTTPError) -> StoreEnvironment {
        guard let text = request.query("environment") else { return .production }
        let environment = StoreEnvironment(rawValue: text)
        guard [.production, .sandbox, .xcode].contains(environment) else {
            throw .badRequest(
                "bad_value", "environment must be production, sandbox or xcode", field: "environment")
        }
        return environment
    }

    /// RFC 3339, or milliseconds since 1970; nil where it is not given.
    static func time(_ name: String, of request: HTTP.Request) throws(HTTPError) -> Timestamp? {
        guard let text = request.query(name) else { return nil }
        // In a query a plus that was not encoded is a space, and an offset such as +02:00 has one.
        guard let time = Timestamp(written: text.replacing(" ", with: "+")) else {
            throw .badRequest(
                "bad_value", "\(name) must be an RFC 3339 time or milliseconds since 1970", field: name)
        }
        return time
    }

    /// A part of the path: 1 to 256 bytes.
    static func identifier(_ name: String, of request: HTTP.Request) throws(HTTPError) -> String {
        let text = try request.parameter(name)
        try FieldRules.check(text, name, within: FieldRules.identifierBytes)
        return text
    }

    /// What the resolver answers.
    ///
    /// - Throws: 404 for a user that nobody has named, 503 where there is no answer.
    static func value<Value: Codable & Sendable>(of ask: () async throws -> Answer<Value>) async throws -> Value {
        do {
            switch try await ask() {
            case .applied(let value): return value
            case .refused(let refusal) where refusal.reason == Refusal.userUnknown.reason:
                throw HTTPError.notFound(refusal.reason, refusal.message)
            // The registry knows the app, so its news has not reached the resolver yet.
            case .refused, .failed: throw unavailable
            }
        } catch let error as HTTPError {
            throw error
        } catch {
            throw unavailable
        }
    }

    private static let unavailable = HTTPError.serviceUnavailable(
        "resolver_unavailable", "The answer cannot be had now; repeating is safe", retryAfter: 1)
}
