package import Messages
package import StoreArtifacts

/// What came of looking at an artifact, and what that depends on.
package struct Judged: Sendable {
    /// The answer.
    package enum Judgement: Hashable, Sendable {
        /// A verdict.
        case final(ArtifactVerdict)
        /// Genuine as far as can be told, but not to be used yet: worth another try.
        case notYet(RefusalReason)
    }

    /// As what it was judged: what it is said to be, or what it looks like if nothing is said.
    package let kind: Artifact.Kind
    package let judgement: Judgement
    /// Under which roots and keys.
    package let basis: AppExaminer.Basis
    /// As of when it was judged.
    package let moment: Timestamp
    let examination: Examination

    /// - Parameter kind: what it is said to be, or `auto`.
    package init(_ examination: Examination, as kind: Artifact.Kind, basis: AppExaminer.Basis, at moment: Timestamp) {
        self.kind = kind == .auto ? Artifact.Kind(rawValue: examination.kind.rawValue) : kind
        self.basis = basis
        self.moment = moment
        self.examination = examination
        judgement = Judgement(examination)
    }

    /// Whether it is a proof by App Attest, which is judged as of when it was received.
    package var isProof: Bool { ArtifactKind.appAttest.contains { $0.rawValue == kind.rawValue } }

    /// Keeps the signers that were found; to be called when the verdict is on disk.
    package func remember(in chains: ChainCache) { examination.remember(in: chains, at: moment.date) }

    /// Whether the same bytes said to be the same are refused for every app, whatever it believes.
    package var isRefusedForItsBytes: Bool {
        guard case .refused(let step, .malformed, _) = examination.verdict else { return false }
        return step == .kind || step == .structure
    }
}

extension Judged.Judgement {
    init(_ examination: Examination) {
        switch examination.verdict {
        case .verified(let artifact):
            guard !examination.namesNobodysApp else {
                self = .final(.refused(.teamUnknown))
                return
            }
            self = .final(
                ArtifactFacts(artifact, of: examination).map(ArtifactVerdict.verified) ?? .refused(.incomplete))
        case .refused(let step, let reason, let message):
            self = .final(.refused(.init(step: step.rawValue, reason: reason.rawValue, text: message)))
        case .retryable(let reason): self = .notYet(reason)
        }
    }
}

extension Examination {
    /// Genuine, but with nothing that it could be compared with: of whatever app it may be.
    fileprivate var namesNobodysApp: Bool {
        ArtifactKind.appAttest.contains(kind)
            && !checks.contains { $0.name == VerificationStep.appID.rawValue && $0.result == .passed }
    }
}

extension ArtifactVerdict.Grounds {
    static let teamUnknown = ArtifactVerdict.Grounds(
        step: VerificationStep.appID.rawValue, reason: RefusalReason.wrongApp.rawValue,
        text: "the team of this app is not known here, so that nothing can be said to be made by the app")
    static let incomplete = ArtifactVerdict.Grounds(
        step: VerificationStep.metadata.rawValue, reason: "incomplete",
        text: "ids, product or purchase date are missing or no good")
}
