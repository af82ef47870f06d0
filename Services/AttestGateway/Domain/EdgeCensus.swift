/// Which other edges there are, as far as they have said something lately.
package struct EdgeCensus: Sendable {
    /// Milliseconds after which an edge that says nothing is gone. Living ones say something every two seconds.
    package static let memory: Int64 = 5_000
    /// However many claim to be one.
    private static let most = 1_000

    private var heard: [String: Int64] = [:]

    package init() {}

    /// `edge` has said something.
    package mutating func hear(_ edge: String, at time: Int64) {
        forget(at: time)
        guard heard.count < Self.most || heard[edge] != nil else { return }
        heard[edge] = time
    }

    /// How many there are.
    package mutating func count(at time: Int64) -> Int {
        forget(at: time)
        return heard.count
    }

    private mutating func forget(at time: Int64) {
        guard heard.contains(where: { time - $0.value >= Self.memory }) else { return }
        heard = heard.filter { time - $0.value < Self.memory }
    }
}
