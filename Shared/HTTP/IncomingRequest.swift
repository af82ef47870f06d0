/// A request on its way in, until it is handed to a handler.
struct IncomingRequest {
    /// Headers, and query items: the library takes a record of its memory for each.
    private static let mostFields = 100

    private let target: [UInt8]
    private var request = Request()
    private var match = RouteTable.Match.none
    private var instruments: RouteInstruments?
    private var bodyLimit = 0
    private var handlerDeadline = Duration.zero
    /// Of the route, once it is known.
    private(set) var responseHeaders = HTTPHeaders()
    /// Whether the headers have been accepted, so that the next thing to happen is the handler.
    private(set) var isAccepted = false
    /// Whether it has been answered already, so that nothing may happen any more.
    var isRefused = false
    /// Bytes of body memory to give back at the end.
    var reservedBytes = 0

    init(target: [UInt8] = []) { self.target = target }

    /// Looks up what every response on the target's path has, for a refusal that comes before its route is known.
    mutating func findResponseHeaders(in table: RouteTable) {
        guard !isAccepted else { return }
        // However long the query is, the path is before it.
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard let target = try? RequestTarget(path), let fields = table.responseHeaders(target.segments) else { return }
        responseHeaders = fields
    }

    /// - Throws: 414 when the target is longer than all headers may be, or has too many query items: the library
    ///   would run out of memory and leave the client without an answer.
    func checkSize(_ configuration: HTTPServerConfiguration) throws(HTTPError) {
        let separators = target.count { $0 == UInt8(ascii: "&") }
        guard target.count <= configuration.headerLimit, separators < Self.mostFields else {
            throw HTTPError(.uriTooLong, "target_too_long", "The request target is too long")
        }
    }

    /// Takes the headers in and finds the route.
    ///
    /// - Throws: the refusal of a request whose framing is ambiguous, or that is too large for its route: now,
    ///   because the library reads the body of whatever is not refused here.
    mutating func accept(
        _ head: RequestHead, peer: PeerAddress, core: ServerCore
    ) throws(HTTPError) {
        guard head.size <= core.configuration.headerLimit else {
            throw HTTPError(.headerFieldsTooLarge, "headers_too_large", "The headers are too large")
        }
        guard head.targetLength == target.count else {
            throw .badRequest("malformed_target", "The request target has a NUL in it")
        }
        guard let headers = head.headers else {
            throw .badRequest("malformed_header", "The headers are not lines of name and value")
        }
        guard headers.fields.count <= Self.mostFields else {
            throw HTTPError(.headerFieldsTooLarge, "headers_too_large", "There are too many headers")
        }
        let target = try RequestTarget(target[...])
        let framing = try RequestFraming(headers, isVersion11: head.isVersion11)
        let method = HTTPMethod(rawValue: head.method)
        match = core.table.match(method, target.segments)
        var parameters: [String: String] = [:]
        if case .route(let route, let values) = match {
            request.route = route.pattern.text
            parameters = values
            bodyLimit = route.limits.body ?? core.configuration.bodyLimit
            handlerDeadline = route.limits.deadline ?? core.configuration.handlerDeadline
            responseHeaders = route.limits.responseHeaders
        } else {
            bodyLimit = core.configuration.bodyLimit
            handlerDeadline = core.configuration.handlerDeadline
        }
        instruments = core.instruments(request.route)
        if let length = framing.contentLength {
            guard length <= bodyLimit else { throw .bodyTooLarge(limit: bodyLimit) }
            // A client may promise much and send little.
            request.body.reserveCapacity(min(length, 16 * 1024))
        }
        request.method = method
        request.path = target.path
        request.segments = target.segments
        request.queryItems = target.query
        request.headers = headers
        request.peer = peer
        request.parameters = parameters
        isAccepted = true
    }

    /// - Throws: 413 when the body passes the route's limit: only a chunked one can.
    mutating func append(_ piece: UnsafeRawBufferPointer) throws(HTTPError) {
        guard piece.count <= bodyLimit - request.body.count else { throw .bodyTooLarge(limit: bodyLimit) }
        request.body.append(contentsOf: piece)
    }

    /// The request, whose handler's time begins now.
    mutating func take() -> (Request, RouteTable.Match, RouteInstruments?) {
        request.deadline = .now + handlerDeadline
        defer { request = Request() }
        return (request, match, instruments)
    }
}

extension HTTPError {
    static func bodyTooLarge(limit: Int) -> HTTPError {
        HTTPError(.contentTooLarge, "body_too_large", "The body is larger than \(limit) bytes")
    }
}
