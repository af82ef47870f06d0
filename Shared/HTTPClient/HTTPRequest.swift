/// What is to be asked.
public struct HTTPRequest: Sendable {
    /// A user name and password, sent as `Authorization: Basic` (RFC 7617). Only ever over TLS or on one host.
    public struct BasicCredentials: Sendable {
        /// Without `:`.
        public var user: String
        /// As it is.
        public var password: String

        /// Credentials for every request that carries them.
        public init(user: String, password: String) {
            self.user = user
            self.password = password
        }
    }

    /// Sent as it is.
    public var method: String
    /// `http` or `https`, absolute, percent-encoded.
    public var url: String
    /// Sent as they are; those that curl would add of its own for a body (`Content-Type`, `Expect`) it does not.
    public var headers: [String: String]
    /// Sent with `Content-Length`, unless it is empty and the method is not one that wants a body.
    public var body: [UInt8]
    /// From the call to the last byte of the answer.
    public var timeout: Duration
    /// For APIs that ask for a user and password.
    public var credentials: BasicCredentials?

    /// A request that has ten seconds unless told otherwise.
    public init(
        method: String = "GET", url: String, headers: [String: String] = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(10), credentials: BasicCredentials? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.credentials = credentials
    }
}
