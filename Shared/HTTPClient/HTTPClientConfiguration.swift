/// Whom a client trusts and what it takes.
public struct HTTPClientConfiguration: Sendable {
    /// A certificate for ourselves: PEM files.
    public struct ClientCertificate: Sendable {
        /// The certificate, its chain behind it.
        public var certificateFile: String
        /// Its private key.
        public var keyFile: String

        /// PEM files.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Authorities to trust in place of the system's: a PEM file.
    public var authorityFile: String?
    /// For servers that ask who we are.
    public var clientCertificate: ClientCertificate?
    /// Part of the request's timeout.
    public var connectTimeout: Duration = .seconds(5)
    /// Bytes of an answer's body.
    public var bodyLimit = 16 * 1024 * 1024
    /// Requests beyond it wait for a connection. 0: no limit.
    public var maxConnectionsPerHost = 0
    /// Redirects to follow before giving up. 0: a redirect is an answer like any other.
    public var maxRedirects = 0

    /// The defaults.
    public init() {}
}
