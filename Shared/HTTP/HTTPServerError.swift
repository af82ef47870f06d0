/// Why a server could not start.
public struct HTTPServerError: Error, Equatable, Sendable {
    /// What was being done.
    public var operation: String
    /// The address and port it was done for.
    public var endpoint: String
    /// What the system said.
    public var reason: String
}

extension HTTPServerError: CustomStringConvertible {
    /// One line for the operator.
    public var description: String { "The HTTP server cannot \(operation) \(endpoint): \(reason)" }
}
