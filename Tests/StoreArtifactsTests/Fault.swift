import StoreArtifacts
import Testing

/// One way in which something that is made can be wrong, and what has to be said of it.
struct Fault<Design>: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let step: VerificationStep
    let reason: RefusalReason
    let change: @Sendable (inout Design) throws -> Void

    init(
        _ name: String, _ step: VerificationStep, _ reason: RefusalReason,
        _ change: @escaping @Sendable (inout Design) throws -> Void
    ) {
        self.testDescription = name
        self.step = step
        self.reason = reason
        self.change = change
    }
}
