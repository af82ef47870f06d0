internal import Apps
internal import JSON
package import Lane
package import Messages
package import SQLite

/// `artifact.verify.v1`: judges an artifact as one that is submitted, and answers with the report.
///
/// The report is of a look at the artifact, each time: keeping it would take more room than the artifact itself.
package struct AnswerVerdict: MessageHandler {
    private let desk: SubmissionDesk

    package init(judge: ArtifactJudge, measures: VerdictMeasures) {
        desk = SubmissionDesk(judge: judge, measures: measures)
    }

    package func prepare(_ message: ArtifactVerify, _ context: MessageContext) throws -> PreparedSubmission {
        try desk.prepare(Submission(message), context, isReportWanted: true)
    }

    package func apply(
        _ prepared: PreparedSubmission, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<ArtifactVerify.Value> {
        let app = try AppStore.known(prepared.submission.app, of: prepared.submission.organisation, in: transaction)
        switch try desk.settle(prepared, context, in: transaction, outgoing: &outgoing) {
        case .notYet(let judged): return .applied(.init(report: try judged.report(saying: nil)))
        case .kept(let kept, let judged):
            let judged = try judged ?? desk.look(prepared, at: context.now, for: app)
            // How old a receipt of App Attest is depends on when somebody asks; what is held of it stays.
            let isOfNow = kept.name.kind == .attestationReceipt
            return .applied(.init(report: try judged.report(saying: isOfNow ? nil : kept.verdict)))
        }
    }

    package func committed(_ prepared: PreparedSubmission) { desk.committed(prepared) }
}
