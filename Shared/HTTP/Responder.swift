internal import JSON
internal import ServiceKit

/// From a request that has arrived whole to its response; everything that can be thrown has become one.
struct Responder: Sendable {
    let around: Router.Around?
    let options: Router.Options?
    let logger: Logger

    /// The work belongs to the trace that the client names in `traceparent`, or to a new one.
    func respond(to request: Request, match: RouteTable.Match) async -> Response {
        let trace = request.headers["traceparent"].flatMap { TraceContext(traceparent: $0) } ?? TraceContext()
        return await TraceContext.$current.withValue(trace) { await surround(request, match) }
    }

    private func surround(_ request: Request, _ match: RouteTable.Match) async -> Response {
        guard let around else { return await answer(request, match) }
        do {
            return try await around(request) { await self.answer($0, match) }
        } catch {
            return response(to: error, request)
        }
    }

    private func answer(_ request: Request, _ match: RouteTable.Match) async -> Response {
        do {
            switch match {
            case .route(let route, _): return try await route.handler.handle(request)
            case .otherMethods(let methods) where request.method == .options:
                var response = try await options?(request, methods) ?? .empty()
                if response.headers["Allow"] == nil { response.headers["Allow"] = Self.list(methods) }
                return response
            case .otherMethods(let methods):
                throw HTTPError(
                    .methodNotAllowed, "method_not_allowed", "This path does not answer \(request.method)",
                    headers: ["Allow": Self.list(methods)])
            // Asks about the server as a whole (RFC 9110 § 9.3.7).
            case .none where request.method == .options && request.path == "*": return .empty()
            case .none: throw HTTPError.notFound()
            }
        } catch {
            return response(to: error, request)
        }
    }

    private func response(to error: any Error, _ request: Request) -> Response {
        switch error {
        case let error as HTTPError: return Response(error)
        // One of ours that could not be written is no fault of the client.
        case let error as JSONError where error.problem != .unencodable:
            return Response(
                HTTPError.badRequest(
                    error.problem.rawValue, error.description, field: error.path.flatMap { $0.isEmpty ? nil : $0 }))
        case is CancellationError:
            // The deadline has passed or the server stops; if anybody still reads this, it is safe to come again.
            return Response(HTTPError.serviceUnavailable(retryAfter: 1))
        default:
            // The client learns nothing of the cause; the log has it.
            logger.error(
                "request failed",
                [
                    "method": .string(request.method.rawValue), "route": .string(request.route ?? ""),
                    "error": .string(String(reflecting: error)),
                ])
            return Response(HTTPError(.internalServerError, "internal", "Something went wrong"))
        }
    }

    private static func list(_ methods: [HTTPMethod]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}
