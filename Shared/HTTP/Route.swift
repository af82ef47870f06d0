/// A handler and what it asks of the server.
struct Route: Sendable {
    let method: HTTPMethod
    let pattern: RoutePattern
    let handler: any RouteHandler
    let limits: RouteLimits
}

/// Where a route differs from the server's configuration.
public struct RouteLimits: Sendable {
    /// Bytes; a longer body is refused with 413.
    public var body: Int?
    /// How long the handler may take before the server answers 503 for it.
    public var deadline: Duration?
    /// Fields for every response on this route that does not have them, the server's own refusals included, beside
    /// those of the configuration.
    public var responseHeaders: HTTPHeaders

    /// `nil`: as the server's configuration says.
    public init(body: Int? = nil, deadline: Duration? = nil, responseHeaders: HTTPHeaders = [:]) {
        self.body = body
        self.deadline = deadline
        self.responseHeaders = responseHeaders
    }
}

/// `/v1/users/{id}`, taken apart.
struct RoutePattern: Sendable {
    enum Part: Hashable {
        case literal(String)
        case parameter(String)
    }

    let text: String
    let parts: [Part]

    /// Stops the process for a pattern that does not begin with `/`, or names a parameter twice or not at all:
    /// patterns are written by us, and read once at the start.
    init(_ text: String) {
        precondition(text.hasPrefix("/"), "A route begins with /: \(text)")
        let segments = text == "/" ? [] : text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        parts = segments.map { segment in
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else { return .literal(String(segment)) }
            return .parameter(String(segment.dropFirst().dropLast()))
        }
        self.text = text
        let names = parameterNames
        precondition(
            !names.contains("") && Set(names).count == names.count, "Parameters need names of their own: \(text)")
    }

    var parameterNames: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }
}
