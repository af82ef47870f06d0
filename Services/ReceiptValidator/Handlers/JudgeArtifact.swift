package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `artifact.submit.v1`: verifies an artifact for an app, once, and publishes what it says; publishes each claim that
/// comes with it under what was verified.
package struct JudgeArtifact: MessageHandler {
    /// A submission with the claim that came with it.
    package struct Prepared: Sendable {
        let submission: PreparedSubmission
        let claim: TransactionClaim?
    }

    private let desk: SubmissionDesk

    package init(judge: ArtifactJudge, measures: VerdictMeasures) {
        desk = SubmissionDesk(judge: judge, measures: measures)
    }

    package func prepare(_ message: ArtifactSubmit, _ context: MessageContext) throws -> Prepared {
        Prepared(submission: try desk.prepare(Submission(message), context), claim: message.claim)
    }

    package func apply(
        _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let submission = prepared.submission.submission
        let kept: KeptVerdict
        switch try desk.settle(prepared.submission, context, in: transaction, outgoing: &outgoing) {
        case .kept(let verdict, _): kept = verdict
        case .notYet(let judged):
            throw MessageFault.forNow(.init(rawValue: judged.judgement.reason), "signed later than now by this clock")
        }
        if let claim = prepared.claim {
            let trust = context.isFrom(.attestGateway) ? claim.trust : .unverified
            try outgoing.send(
                LinkClaim(
                    claim, organisation: submission.organisation, app: submission.app, kind: kept.name.kind,
                    digest: submission.digest, verdict: kept.verdict, trust: trust))
        }
        switch kept.verdict {
        case .verified: return .applied
        case .refused(let grounds): return .refused(Refusal(grounds.reason, grounds.text))
        }
    }

    package func committed(_ prepared: Prepared) { desk.committed(prepared.submission) }
}
