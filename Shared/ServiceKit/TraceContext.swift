/// Which request a piece of work belongs to (W3C Trace Context: `00-<trace id>-<parent id>-<flags>`).
public struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits, the same in every service that the request touches.
    public let traceID: String
    /// 16 hexadecimal digits: the caller's span.
    public let parentID: String

    /// Reads a `traceparent` header; nil if it is not one (W3C Trace Context § 3.2). Later versions may have more parts.
    public init?(traceparent: String) {
        let parts = traceparent.utf8.split(
            separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, zip(parts, [2, 32, 16, 2]).allSatisfy({ Self.isHexadecimal($0, digits: $1) }),
            !parts[0].elementsEqual("ff".utf8), parts.count == 4 || !parts[0].elementsEqual("00".utf8),
            parts[1].contains(where: { $0 != UInt8(ascii: "0") }), parts[2].contains(where: { $0 != UInt8(ascii: "0") })
        else { return nil }
        traceID = String(decoding: parts[1], as: UTF8.self)
        parentID = String(decoding: parts[2], as: UTF8.self)
    }

    /// A new trace.
    public init() {
        var generator = SystemRandomNumberGenerator()
        func digits(_ number: UInt64) -> String {
            let text = String(number, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        traceID = digits(generator.next() | 1) + digits(generator.next())
        parentID = digits(generator.next() | 1)
    }

    /// The header's text.
    public var traceparent: String { "00-\(traceID)-\(parentID)-01" }

    /// The trace of the work at hand; log lines carry it.
    @TaskLocal public static var current: TraceContext?

    private static func isHexadecimal(_ text: Substring.UTF8View, digits: Int) -> Bool {
        text.count == digits && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
