internal import JSON
package import Lane
package import Messages
package import SQLite

/// `artifact.verify.v1`: judges an artifact as one that is submitted, and answers with the report.
package struct AnswerVerdict: MessageHandler {
    private let desk: SubmissionDesk

    package init(judge: ArtifactJudge, measures: VerdictMeasures) {
        desk = SubmissionDesk(judge: judge, measures: measures)
    }

    package func prepare(_ message: ArtifactVerify, _ context: MessageContext) throws -> PreparedSubmission {
        try desk.prepare(Submission(message), context)
    }

    package func apply(
        _ prepared: PreparedSubmission, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<ArtifactVerify.Value> {
        switch try desk.settle(prepared, context, in: transaction, outgoing: &outgoing) {
        case .notYet(let judged): return .applied(.init(report: try judged.report(saying: nil)))
        case .kept(let kept, let judged):
            let report = try report(on: kept, judged, prepared, at: context.now, in: transaction)
            return .applied(.init(report: report))
        }
    }

    package func committed(_ prepared: PreparedSubmission) { desk.committed(prepared) }

    /// The report that was given before, or one from a look at the artifact.
    private func report(
        on kept: KeptVerdict, _ judged: Judged?, _ prepared: PreparedSubmission, at now: Timestamp,
        in transaction: borrowing Transaction
    ) throws -> JSONValue {
        let app = try AppStore.known(kept.name.app, of: kept.name.organisation, in: transaction)
        if kept.name.kind == .attestationReceipt {
            // How old it is depends on when somebody asks. What is held stays: it was good when it was received.
            return try (judged ?? desk.look(prepared, at: now, for: app)).report(saying: nil)
        }
        if let known = try VerdictStore.report(on: kept.name, in: transaction) { return known }
        let judged = try judged ?? desk.look(prepared, at: now, for: app)
        let report = try judged.report(saying: kept.verdict)
        try VerdictStore.record(report: report, on: kept.name, in: transaction)
        return report
    }
}
