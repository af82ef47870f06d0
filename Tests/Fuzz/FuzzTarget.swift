/// A decoder of outside bytes: whatever it is given, it must answer, in bounded time and memory.
struct FuzzTarget: Sendable {
    /// Its name on the command line.
    let name: String
    /// Decodes; what it answers does not matter, unless it contradicts itself.
    let run: @Sendable ([UInt8]) -> Void
    /// Inputs that the decoder accepts, to begin with.
    let samples: @Sendable () throws -> [[UInt8]]

    /// Every decoder of this repository that reads what strangers send.
    static let all = [json, certificate, any] + kinds
}
