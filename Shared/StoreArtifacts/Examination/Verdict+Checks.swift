extension Verdict {
    /// Whether the answer is yes.
    public var isVerified: Bool { if case .verified = self { true } else { false } }

    /// What was verified, if it was.
    var verifiedValue: Value? { if case .verified(let value) = self { value } else { nil } }

    /// The same answer about another value.
    func map<Other>(_ transform: (Value) -> Other) -> Verdict<Other> {
        switch self {
        case .verified(let value): .verified(transform(value))
        case .refused(let step, let reason, let message): .refused(step: step, reason: reason, message: message)
        case .retryable(let reason): .retryable(reason)
        }
    }

    /// How each step went.
    ///
    /// - Parameters:
    ///   - steps: All that there are, in their order.
    ///   - dated: Where the date is looked at: there has failed what is not yet to be used. The last unless it is given.
    ///   - hadNothingToCompare: Whether a step that found nothing wrong had nothing to look at.
    func checks(
        _ steps: [VerificationStep], dated: VerificationStep? = nil,
        unless hadNothingToCompare: (VerificationStep) -> Bool
    ) -> [ArtifactReport.Check] {
        let failed: VerificationStep? =
            switch self {
            case .verified: nil
            case .refused(let step, _, _): step
            case .retryable: dated ?? steps.last
            }
        // A step before all others, such as the kind, is told only when it fails.
        if let failed, !steps.contains(failed) {
            return [ArtifactReport.Check(failed.rawValue, .failed)]
                + steps.map { ArtifactReport.Check($0.rawValue, .notChecked) }
        }
        let end = failed.flatMap { steps.firstIndex(of: $0) } ?? steps.count
        return steps.enumerated().map { index, step in
            let result: ArtifactReport.Check.Result =
                if index < end { hadNothingToCompare(step) ? .notChecked : .passed } else if step == failed {
                    .failed
                } else { .notChecked }
            return ArtifactReport.Check(step.rawValue, result)
        }
    }
}
