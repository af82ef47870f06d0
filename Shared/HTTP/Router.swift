public import ServiceKit

/// Which handler answers which method and path.
///
/// ```swift
/// var router = Router()
/// router.post("/api/v1/apps/{bundleId}/receipts", limits: RouteLimits(body: 1 << 20), SubmitReceipt(…))
/// router.get("/api/v1/ping") { _ in .text("pong") }
/// ```
///
/// A literal segment beats a parameter. A path that exists with other methods answers 405 with `Allow`; a GET route
/// also answers HEAD; an OPTIONS that has no route of its own answers 204 with `Allow`, or what ``options`` says.
/// Routes are written by us: one that is malformed or there twice stops the process at its start.
public struct Router: Sendable {
    /// Goes on to the route, or to the 404 or 405. It does not throw: errors have become responses.
    public typealias Next = @Sendable (Request) async -> Response
    /// Surrounds every request that has arrived whole.
    public typealias Around = @Sendable (Request, Next) async throws -> Response
    /// Answers OPTIONS on a path that exists; the methods are those of the path.
    public typealias Options = @Sendable (Request, [HTTPMethod]) async throws -> Response

    /// The one middleware: what is to be done before and after every handler. Refusals that the server makes
    /// without asking a handler (400, 413, 431, the deadline's 503) pass it by.
    public var around: Around?
    /// The answer to OPTIONS, for instance to a browser's preflight. Its `Allow` is added by the router.
    public var options: Options?

    private(set) var routes: [Route] = []

    /// What it answers, in the order in which the routes were added; HEAD and OPTIONS, which follow from them, aside.
    public var endpoints: [(method: HTTPMethod, pattern: String)] { routes.map { ($0.method, $0.pattern.text) } }

    /// A router without routes: everything is a 404.
    public init() {}

    /// Adds a route.
    ///
    /// - Parameters:
    ///   - pattern: begins with `/`; a segment `{name}` matches any one that is not empty. A trailing `/` counts.
    ///   - limits: where this route differs from the server's configuration.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, limits: RouteLimits = RouteLimits(), _ handler: some RouteHandler
    ) {
        routes.append(Route(method: method, pattern: RoutePattern(pattern), handler: handler, limits: limits))
    }

    /// Adds a route that is a closure.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, limits: RouteLimits = RouteLimits(),
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) {
        on(method, pattern, limits: limits, ClosureHandler(body: body))
    }

    /// Adds a GET route.
    public mutating func get(
        _ pattern: String, limits: RouteLimits = RouteLimits(), _ handler: some RouteHandler
    ) { on(.get, pattern, limits: limits, handler) }

    /// Adds a GET route that is a closure.
    public mutating func get(
        _ pattern: String, limits: RouteLimits = RouteLimits(),
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) { on(.get, pattern, limits: limits, body) }

    /// Adds a POST route.
    public mutating func post(
        _ pattern: String, limits: RouteLimits = RouteLimits(), _ handler: some RouteHandler
    ) { on(.post, pattern, limits: limits, handler) }

    /// Adds a POST route that is a closure.
    public mutating func post(
        _ pattern: String, limits: RouteLimits = RouteLimits(),
        _ body: @escaping @Sendable (Request) async throws -> Response
    ) { on(.post, pattern, limits: limits, body) }
}

extension Router {
    /// Answers without a socket: for tests of routes. Limits of size and time aside, as the server would.
    public func respond(
        _ method: HTTPMethod, _ target: String, headers: HTTPHeaders = [:], body: [UInt8] = [], logger: Logger
    ) async -> Response {
        do throws(HTTPError) {
            let target = try RequestTarget(Array(target.utf8)[...])
            let match = RouteTable(routes).match(method, target.segments)
            var request = Request(
                method: method, path: target.path, segments: target.segments, queryItems: target.query,
                headers: headers, body: body)
            if case .route(let route, let parameters) = match {
                request.route = route.pattern.text
                request.parameters = parameters
            }
            let responder = Responder(around: around, options: options, logger: logger)
            return await responder.respond(to: request, match: match)
        } catch {
            return Response(error)
        }
    }
}
