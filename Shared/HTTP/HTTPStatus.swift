/// A status code (RFC 9110 § 15).
public struct HTTPStatus: RawRepresentable, Hashable, Sendable {
    /// Three digits.
    public let rawValue: Int

    /// Any code, known here or not.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// 200: here is what was asked for.
    public static let ok = HTTPStatus(rawValue: 200)
    /// 201: it exists now.
    public static let created = HTTPStatus(rawValue: 201)
    /// 202: it will be done.
    public static let accepted = HTTPStatus(rawValue: 202)
    /// 204: done, and nothing to say; sent without a body.
    public static let noContent = HTTPStatus(rawValue: 204)
    /// 304: what the client has is still right; sent without a body.
    public static let notModified = HTTPStatus(rawValue: 304)
    /// 400: not understood.
    public static let badRequest = HTTPStatus(rawValue: 400)
    /// 401: who is asking?
    public static let unauthorized = HTTPStatus(rawValue: 401)
    /// 403: we know who asks, and the answer is no.
    public static let forbidden = HTTPStatus(rawValue: 403)
    /// 404: nothing here, or nothing that this client may know of.
    public static let notFound = HTTPStatus(rawValue: 404)
    /// 405: not with this method; `Allow` says which.
    public static let methodNotAllowed = HTTPStatus(rawValue: 405)
    /// 409: contradicts what is there.
    public static let conflict = HTTPStatus(rawValue: 409)
    /// 410: was here, and will not come back.
    public static let gone = HTTPStatus(rawValue: 410)
    /// 413: the body is larger than the route takes.
    public static let contentTooLarge = HTTPStatus(rawValue: 413)
    /// 414: the path and query are longer than the server takes.
    public static let uriTooLong = HTTPStatus(rawValue: 414)
    /// 415: the body is of a type that the route does not take.
    public static let unsupportedMediaType = HTTPStatus(rawValue: 415)
    /// 422: understood, and wrong.
    public static let unprocessableContent = HTTPStatus(rawValue: 422)
    /// 429: slower, please; `Retry-After` says how slow.
    public static let tooManyRequests = HTTPStatus(rawValue: 429)
    /// 431: the headers are larger than the server takes.
    public static let headerFieldsTooLarge = HTTPStatus(rawValue: 431)
    /// 500: our mistake.
    public static let internalServerError = HTTPStatus(rawValue: 500)
    /// 501: not known here.
    public static let notImplemented = HTTPStatus(rawValue: 501)
    /// 502: somebody behind us answered nonsense.
    public static let badGateway = HTTPStatus(rawValue: 502)
    /// 503: not now; `Retry-After` says when.
    public static let serviceUnavailable = HTTPStatus(rawValue: 503)
    /// 504: somebody behind us did not answer.
    public static let gatewayTimeout = HTTPStatus(rawValue: 504)
}

extension HTTPStatus: CustomStringConvertible {
    /// The three digits.
    public var description: String { "\(rawValue)" }
}
