/// A request method. Methods are case-sensitive (RFC 9110 § 9.1), so `get` is not ``get``.
public struct HTTPMethod: RawRepresentable, Hashable, Sendable {
    /// As it stands in the request line.
    public let rawValue: String

    /// Any method, known here or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads, and changes nothing.
    public static let get = HTTPMethod(rawValue: "GET")
    /// GET without the body of its answer.
    public static let head = HTTPMethod(rawValue: "HEAD")
    /// Hands something in.
    public static let post = HTTPMethod(rawValue: "POST")
    /// Sets the whole of something.
    public static let put = HTTPMethod(rawValue: "PUT")
    /// Changes a part of something.
    public static let patch = HTTPMethod(rawValue: "PATCH")
    /// Removes something.
    public static let delete = HTTPMethod(rawValue: "DELETE")
    /// Asks what may be done, as browsers do before a cross-origin request.
    public static let options = HTTPMethod(rawValue: "OPTIONS")
}

extension HTTPMethod: CustomStringConvertible {
    /// As it stands in the request line.
    public var description: String { rawValue }
}
