/// Why there is no answer. A status, whichever, is one.
public struct HTTPClientError: Error, Equatable, Sendable {
    /// What went wrong, for programs.
    public enum Kind: Equatable, Sendable {
        /// The request itself cannot be sent: its URL, or a header with a line feed.
        case malformedRequest
        /// No such host, or nobody listens there.
        case cannotConnect
        /// The peer is not who it should be, or speaks no TLS that we accept.
        case untrusted
        /// The connection ended before the answer did. Whether the request had an effect is unknown.
        case interrupted
        /// The time was up. Whether the request had an effect is unknown.
        case timedOut
        /// The answer is longer than the client takes.
        case bodyTooLarge
        /// The task was cancelled.
        case cancelled
        /// Something else; the code is libcurl's.
        case other(UInt32)
    }

    /// What went wrong.
    public var kind: Kind
    /// Method and URL without query.
    public var request: String
    /// What the library said.
    public var reason: String
}

extension HTTPClientError: CustomStringConvertible {
    /// One line for the operator.
    public var description: String { "\(request): \(reason)" }
}
