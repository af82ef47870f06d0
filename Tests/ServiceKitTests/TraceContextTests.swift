import ServiceKit
import Testing

@Suite("Trace context")
struct TraceContextTests {
    static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    static let span = "00f067aa0ba902b7"

    @Test(
        "A traceparent is read",
        arguments: [
            "00-\(trace)-\(span)-01", "00-\(trace)-\(span)-00", "00-\(trace)-\(span)-ff", "01-\(trace)-\(span)-01",
            // A later version may append to it.
            "cc-\(trace)-\(span)-01-what-the-future-will-be-like", "01-\(trace)-\(span)-01-",
        ])
    func valid(text: String) {
        let context = TraceContext(traceparent: text)

        #expect(context?.traceID == Self.trace)
        #expect(context?.parentID == Self.span)
        #expect(context?.traceparent == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test(
        "What is no traceparent is none",
        arguments: [
            "", "-", "---", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-011", "00-\(trace)-\(span)-01-", "00-\(trace)-\(span)-01-more",
            "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01", "zz-\(trace)-\(span)-01", "00-\(trace)-\(span)-0g",
            "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01",
            "00-\(trace.uppercased())-\(span)-01", "00-\(trace.dropLast())-\(span)-01", "00-\(trace)0-\(span)-01",
            "00-\(trace)-\(span.dropLast())-01", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01\n",
            "00_\(trace)_\(span)_01", "00-\(trace.dropLast())é-\(span)-01", "00-\(trace.dropLast())\u{0}-\(span)-01",
            "００-\(trace)-\(span)-01", String(repeating: "-", count: 100_000),
            "00-" + String(repeating: "a", count: 100_000),
        ])
    func invalid(text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test("A new trace can be read back, and no two are the same")
    func new() {
        let traces = (0..<1000).map { _ in TraceContext() }

        for trace in traces { #expect(TraceContext(traceparent: trace.traceparent) == trace) }
        #expect(Set(traces.map(\.traceID)).count == traces.count)
    }
}
