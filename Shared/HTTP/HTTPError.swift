/// A refusal with a status. Thrown by a handler, it becomes the response
/// `{"error":{"code":…,"message":…,"field":…}}`; so nothing secret belongs in it.
public struct HTTPError: Error, Equatable, Sendable {
    /// 4xx or 5xx.
    public var status: HTTPStatus
    /// For programs: stable, snake case.
    public var code: String
    /// For people.
    public var message: String
    /// The member, parameter or header that was wrong, where it was one.
    public var field: String?
    /// Such as `Retry-After`, `Allow`, `WWW-Authenticate`.
    public var headers: HTTPHeaders

    /// - Parameters:
    ///   - code: for programs: stable, snake case.
    ///   - message: for people.
    ///   - field: what was wrong, where it was one thing.
    public init(
        _ status: HTTPStatus, _ code: String, _ message: String, field: String? = nil, headers: HTTPHeaders = [:]
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.field = field
        self.headers = headers
    }
}

extension HTTPError {
    /// 400: not understood.
    public static func badRequest(_ code: String, _ message: String, field: String? = nil) -> HTTPError {
        HTTPError(.badRequest, code, message, field: field)
    }

    /// 401.
    ///
    /// - Parameter challenge: the `WWW-Authenticate` field that a 401 must carry (RFC 9110 § 11.6.1).
    public static func unauthorized(
        _ code: String = "unauthorized", _ message: String, challenge: String = "Bearer"
    ) -> HTTPError {
        HTTPError(.unauthorized, code, message, headers: ["WWW-Authenticate": challenge])
    }

    /// 403.
    public static func forbidden(_ code: String = "forbidden", _ message: String) -> HTTPError {
        HTTPError(.forbidden, code, message)
    }

    /// 404.
    public static func notFound(_ code: String = "not_found", _ message: String = "There is nothing here") -> HTTPError
    {
        HTTPError(.notFound, code, message)
    }

    /// 429.
    ///
    /// - Parameters:
    ///   - message: of which there are too many.
    ///   - seconds: when to come again, as `Retry-After`.
    public static func tooManyRequests(
        _ message: String = "Too many requests", retryAfter seconds: Int
    ) -> HTTPError {
        HTTPError(.tooManyRequests, "too_many_requests", message, headers: ["Retry-After": "\(seconds)"])
    }

    /// 503: the request is not known to be accepted, and repeating it is safe.
    ///
    /// - Parameter seconds: when to come again, as `Retry-After`.
    public static func serviceUnavailable(
        _ code: String = "unavailable", _ message: String = "The service cannot answer now; repeating is safe",
        retryAfter seconds: Int
    ) -> HTTPError {
        HTTPError(.serviceUnavailable, code, message, headers: ["Retry-After": "\(seconds)"])
    }
}

extension HTTPError: CustomStringConvertible {
    /// For logs.
    public var description: String {
        "\(status) \(code): \(message)" + (field.map { " [\($0)]" } ?? "")
    }
}

extension Response {
    /// The answer that tells `error`.
    public init(_ error: HTTPError) {
        let member = error.field.map { ",\"field\":\($0.jsonQuoted)" } ?? ""
        let text = "{\"error\":{\"code\":\(error.code.jsonQuoted),\"message\":\(error.message.jsonQuoted)\(member)}}"
        var headers = error.headers
        headers["Content-Type"] = "application/json"
        self.init(status: error.status, headers: headers, body: Array(text.utf8))
    }
}

extension String {
    /// As a JSON string (RFC 8259 § 7). Written out so that telling an error cannot itself fail.
    var jsonQuoted: String {
        var quoted = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case "\u{0}"..<" ":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
