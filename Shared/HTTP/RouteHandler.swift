/// Answers the requests of one route.
///
/// A handler must not block its thread: it shares a few of them with every other request. It has until
/// ``Request/deadline``; then its task is cancelled and whatever it still answers is dropped.
public protocol RouteHandler: Sendable {
    /// - Throws: an ``HTTPError`` is answered as it says; a `JSONError` as 400 with the field; anything else is
    ///   logged and answered 500 without a word about why.
    func handle(_ request: Request) async throws -> Response
}

/// A route that is a closure.
struct ClosureHandler: RouteHandler {
    let body: @Sendable (Request) async throws -> Response

    func handle(_ request: Request) async throws -> Response { try await body(request) }
}
