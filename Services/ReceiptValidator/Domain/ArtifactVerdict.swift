internal import Messages

/// What is held of an artifact for one app: the same bytes under the same roots, keys and rules have the same verdict.
package enum ArtifactVerdict: Hashable, Sendable {
    /// A store signed it for this app, and this is what it tells.
    case verified(ArtifactFacts)
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

    /// What it tells; nothing if it was refused.
    package var facts: ArtifactFacts { if case .verified(let facts) = self { facts } else { ArtifactFacts() } }

    /// `verified` or `refused`.
    package var outcome: String { if case .verified = self { "verified" } else { "refused" } }

    /// Whether nobody would notice the difference: sentences for people may change with every release.
    package func isSame(as other: ArtifactVerdict) -> Bool {
        switch (self, other) {
        case (.verified(let mine), .verified(let theirs)): mine == theirs
        case (.refused(let mine), .refused(let theirs)): mine.step == theirs.step && mine.reason == theirs.reason
        default: false
        }
    }
}

/// The editions of the rules by which verdicts are reached.
package enum Ruleset {
    /// That of this release; raised with every release that may judge an artifact differently than the one before, so
    /// that `tollgate artifacts reverify` can tell what was judged by which. 1 knew transactions alone, 2 did not
    /// tell at which offer something was bought, nor how it was taken back.
    package static let current = 3

    /// Renewal information that was told before went to nobody.
    static let firstWithRenewalsHeard = 3
}

extension KeptArtifact.Verdict {
    init(_ verdict: ArtifactVerdict) {
        switch verdict {
        case .verified(let facts): self.init(outcome: verdict.outcome, facts: facts.count)
        case .refused(let grounds):
            self.init(outcome: verdict.outcome, step: grounds.step, reason: grounds.reason)
        }
    }
}
