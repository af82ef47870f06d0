/// How much JSON one caller is prepared to read.
public struct JSONLimits: Sendable, Equatable {
    /// Open arrays and objects at one time. The scanner recurses, so values above 512 count as 512.
    public var depth: Int
    /// Length of the whole text.
    public var bytes: Int

    /// - Parameters:
    ///   - depth: Open arrays and objects at one time, at most 512.
    ///   - bytes: Length of the whole text; 1 MiB unless told otherwise.
    public init(depth: Int = 32, bytes: Int = 1 << 20) {
        self.depth = min(depth, 512)
        self.bytes = bytes
    }
}
