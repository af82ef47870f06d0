internal import JSON
internal import Messages

/// A refusal that clients can meet: its status, its stable code, and what it means for them.
package struct ErrorCode: Sendable, Hashable {
    /// Of the answer.
    package let status: Int
    /// `error.code`.
    package let code: String
    /// For whoever reads the document.
    package let meaning: String

    init(_ status: Int, _ code: String, _ meaning: String) {
        self.status = status
        self.code = code
        self.meaning = meaning
    }

    /// As the services name it.
    init(_ status: Int, _ refusal: Refusal) { self.init(status, refusal.reason, "\(refusal.message).") }
}

extension ErrorCode {
    /// Of every route, from the server itself.
    static let transport = [
        ErrorCode(400, "malformed_header", "A header is not as HTTP has it."),
        ErrorCode(400, "malformed_target", "The path or query is not percent-encoded UTF-8 text without NUL."),
        ErrorCode(413, "body_too_large", "The body is longer than the route takes; nothing of it was read."),
        ErrorCode(414, "target_too_long", "The path and query are longer than the server takes."),
        ErrorCode(431, "headers_too_large", "The headers are longer, or more, than the server takes."),
        ErrorCode(500, "internal", "Our mistake; the log has it. Whether it was accepted is not known."),
        ErrorCode(503, "overloaded", "Too much is being uploaded at this time."),
        ErrorCode(503, "stopping", "This server is stopping; another one, or this one later, will answer."),
        ErrorCode(
            503, "deadline_exceeded", "The answer was not ready in time. Not known to be accepted; repeating is safe."),
        ErrorCode(503, "unavailable", "No answer in time. Not known to be accepted; repeating is safe."),
    ]

    /// Answered on paths and methods that no operation names.
    package static let elsewhere = [
        ErrorCode(404, "not_found", "No route has this path."),
        ErrorCode(405, "method_not_allowed", "The path does not answer this method; Allow says which."),
    ]

    /// Of a body that is no JSON that is taken.
    static let json = [
        ErrorCode(400, .tooLarge, "The text is longer than is taken."),
        ErrorCode(400, .tooDeep, "Nested deeper than \(JSONLimits.sdkBody.depth); field names the member of the body."),
        ErrorCode(400, .unexpectedEnd, "The text ends too early."),
        ErrorCode(400, .unexpectedByte, "A byte that JSON does not have there."),
        ErrorCode(400, .trailingBytes, "Something stands behind the value."),
        ErrorCode(400, .invalidUTF8, "Not UTF-8."),
        ErrorCode(400, .controlCharacter, "A control character in a text that is not escaped."),
        ErrorCode(400, .badEscape, "An escape that JSON does not have."),
        ErrorCode(400, .loneSurrogate, "Half of a surrogate pair; field names the member."),
        ErrorCode(
            400, .nul,
            """
            A NUL character, which no text may have, nor a name; field names the member. Of events: in an id, others \
            are dropped alone.
            """),
        ErrorCode(400, .badNumber, "A number that is not as JSON writes it."),
        ErrorCode(
            400, .duplicateMember, "A member is there twice; field names it, or the member of the body that it is in."),
        ErrorCode(400, .missingMember, "A member that has to be there is not; field names it."),
        ErrorCode(400, .wrongType, "A member is of another type; field names it."),
        ErrorCode(400, .badValue, "A value that cannot be taken; field names it."),
        ErrorCode(400, "field_empty", "A text that must not be empty; field names it."),
        ErrorCode(400, "field_too_long", "A text or object that is too long, in bytes of UTF-8; field names it."),
    ]

    /// Of bodies with an array.
    static let tooManyElements = ErrorCode(
        400, "too_many_elements", "An array with more elements than are taken; field names it.")

    /// Of `Idempotency-Key`.
    static let idempotency = [
        ErrorCode(
            400, "idempotency_key_malformed",
            "Idempotency-Key is not 1 to \(IdempotencyKey.longest) printable ASCII characters."),
        ErrorCode(409, "idempotency_key_reused", "This Idempotency-Key was used for another body."),
    ]

    /// Of `Authorization` on the SDK's routes: a token that is there has to be good.
    static let deviceToken = [
        ErrorCode(401, "token_malformed", "Not a device token of this installation."),
        ErrorCode(401, "token_expired", "The token has expired: enrol again."),
        ErrorCode(401, "token_revoked", "The device, or this token of it, is good no more."),
    ]

    /// Where a body names an app beside a device token.
    static let otherApp = ErrorCode(401, "token_wrong_app", "The token is of another app than bundleId names.")

    /// Of limits.
    static let limited = ErrorCode(429, "too_many_requests", "A limit is reached; Retry-After says when to come again.")

    /// Of writes.
    static let notAccepted = ErrorCode(
        503, "not_accepted", "The broker has not confirmed it in time. Not known to be accepted; repeating is safe.")

    /// Where keys and apps have to be known.
    static let registryUnavailable = ErrorCode(
        503, "registry_unavailable", "Whose app, key or device it is cannot be told now; repeating is safe.")

    /// Of challenges that a device sends back.
    static let challenge = [Refusal.challengeUnknown, .challengeExpired, .challengeUsed].map { ErrorCode(401, $0) }

    /// Of server keys.
    static let serverKey = [
        ErrorCode(401, "key_missing", "A server key is needed: Authorization: Bearer tk_…."),
        ErrorCode(401, "key_unknown", "Not a key of this installation."),
        ErrorCode(401, "key_revoked", "The key has been revoked."),
        ErrorCode(403, "scope_insufficient", "The key may not do this."),
        ErrorCode(404, .appNotOfKey),
        registryUnavailable,
    ]

    private init(_ status: Int, _ problem: JSONError.Problem, _ meaning: String) {
        self.init(status, problem.rawValue, meaning)
    }
}
