/// What was answered, whatever the status.
public struct HTTPResponse: Sendable {
    /// One field; its name as it was written.
    public typealias Header = (name: String, value: String)

    /// Three digits.
    public var status: Int
    /// In order, repeated names included.
    public var headers: [Header]
    /// All of it, within the client's limit.
    public var body: [UInt8]

    /// An answer for tests.
    public init(status: Int, headers: [Header] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The first field of this name, whatever its case.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name.lowercased() == name }?.value
    }

    /// The body as text; bytes that are no UTF-8 become U+FFFD.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
