internal import JSON

/// A request that has arrived whole, with its body.
public struct Request: Sendable {
    /// One `name=value` of the query, decoded; without `=` the value is empty.
    public struct QueryItem: Equatable, Sendable {
        /// Decoded.
        public let name: String
        /// Decoded.
        public let value: String

        /// An item for tests.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// HEAD reaches the handler of a GET route as HEAD.
    public var method: HTTPMethod
    /// The path as it was sent: still percent-encoded, without the query.
    public var path: String
    /// The path split at `/`, each part percent-decoded once: an identifier may hold a slash.
    public var segments: [String]
    /// In order, repeated names included; `+` is a space.
    public var queryItems: [QueryItem]
    /// As they came; `Transfer-Encoding` and `Content-Length` have been checked and taken care of.
    public var headers: HTTPHeaders
    /// All of it, within the route's limit.
    public var body: [UInt8]
    /// Who is at the other end of the connection: a proxy, if there is one.
    public var peer: PeerAddress
    /// The pattern of the matched route (`/v1/users/{id}`): a label that clients cannot invent. `nil` for a 404.
    public var route: String?
    /// The values of the route's `{…}`, decoded and never empty.
    public var parameters: [String: String]
    /// When the server answers 503 in the handler's place. Waiting for something any longer is in vain.
    public var deadline: ContinuousClock.Instant

    /// A request for tests of handlers.
    public init(
        method: HTTPMethod = .get, path: String = "/", segments: [String] = [], queryItems: [QueryItem] = [],
        headers: HTTPHeaders = [:], body: [UInt8] = [], peer: PeerAddress = .unknown, route: String? = nil,
        parameters: [String: String] = [:], deadline: ContinuousClock.Instant = .now + .seconds(10)
    ) {
        self.method = method
        self.path = path
        self.segments = segments
        self.queryItems = queryItems
        self.headers = headers
        self.body = body
        self.peer = peer
        self.route = route
        self.parameters = parameters
        self.deadline = deadline
    }

    /// The value of the route's `{name}`.
    ///
    /// - Throws: 404 when the route has no such parameter: a mistake of ours that must not stop the process.
    public func parameter(_ name: String) throws(HTTPError) -> String {
        guard let value = parameters[name] else { throw .notFound() }
        return value
    }

    /// The first query item of this name.
    public func query(_ name: String) -> String? {
        queryItems.first { $0.name == name }?.value
    }

    /// The body as JSON, within the usual bounds of depth.
    ///
    /// - Throws: `JSONError`; thrown on by a handler, it is answered as 400 and names the field.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        // How long it may be, the route's limit has decided.
        try JSONCoding.decode(type, from: body, limits: JSONLimits(bytes: body.count))
    }
}
