package import Messages
internal import StoreArtifacts

/// What is held of an artifact for one app, for ever: the same bytes under the same roots have the same verdict.
package enum ArtifactVerdict: Hashable, Sendable {
    /// A store signed this transaction for this app.
    case verified(StoreTransaction)
    /// It is not what it is said to be.
    case refused(Grounds)

    /// Why an artifact was refused.
    package struct Grounds: Hashable, Sendable {
        /// The step that failed first.
        package var step: String
        /// A stable code.
        package var reason: String
        /// For people.
        package var text: String

        package init(step: String, reason: String, text: String) {
            self.step = step
            self.reason = reason
            self.text = text
        }
    }
}

/// What comes of looking at an artifact.
package enum Judgement: Hashable, Sendable {
    /// A verdict.
    case final(ArtifactVerdict)
    /// Genuine, but signed later than now: worth another try.
    case tooEarly

    init(_ verdict: Verdict<TransactionPayload>) {
        switch verdict {
        case .verified(let payload):
            self = .final(
                StoreTransaction(payload).map(ArtifactVerdict.verified)
                    ?? .refused(
                        .init(
                            step: VerificationStep.metadata.rawValue, reason: "incomplete",
                            text: "ids, product or purchase date are missing or no good")))
        case .refused(let step, let reason, let message):
            self = .final(.refused(.init(step: step.rawValue, reason: reason.rawValue, text: message)))
        case .retryable: self = .tooEarly
        }
    }
}
