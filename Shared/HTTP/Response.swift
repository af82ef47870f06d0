internal import JSON

/// What a handler answers. `Content-Length`, `Date` and `Connection` are the server's to set.
public struct Response: Sendable {
    /// Final: one below 200 is answered as 500.
    public var status: HTTPStatus
    /// A field that is empty, or would break the framing (a line feed), is left out.
    public var headers: HTTPHeaders
    /// Sent whole. Nothing of it is sent for HEAD, 204 and 304.
    public var body: [UInt8]

    /// An answer of bytes; their `Content-Type` goes into `headers`.
    public init(status: HTTPStatus = .ok, headers: HTTPHeaders = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A value as JSON, members sorted.
    ///
    /// - Throws: when `value` cannot be written, such as a number that is not finite: answered as 500.
    public static func json(_ value: some Encodable, status: HTTPStatus = .ok) throws -> Response {
        .json(bytes: try JSONCoding.encode(value), status: status)
    }

    /// JSON that is already text.
    public static func json(bytes: [UInt8], status: HTTPStatus = .ok) -> Response {
        Response(status: status, headers: ["Content-Type": "application/json"], body: bytes)
    }

    /// Plain text in UTF-8.
    public static func text(_ text: String, status: HTTPStatus = .ok) -> Response {
        Response(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// A status without a body.
    public static func empty(_ status: HTTPStatus = .noContent) -> Response { Response(status: status) }
}
