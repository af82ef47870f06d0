internal import Apps
package import Lane
package import Messages
internal import Messaging
package import SQLite
internal import Synchronization

/// `artifact.reverify.v1`: judges an artifact that is kept by the rules, roots and keys of today. A verdict that turns
/// takes back what the one before it told.
///
/// All of it happens in the transaction: the artifact is in the store, and the tool that asks takes its time.
package struct ReverifyArtifact: MessageHandler {
    /// A command, and the verdict that turned when it was applied last.
    package final class Prepared: Sendable {
        fileprivate let message: ArtifactReverify
        fileprivate let turned = Mutex<KeptVerdict?>(nil)

        fileprivate init(message: ArtifactReverify) { self.message = message }
    }

    private let judge: ArtifactJudge
    private let measures: VerdictMeasures

    package init(judge: ArtifactJudge, measures: VerdictMeasures) {
        self.judge = judge
        self.measures = measures
    }

    package func prepare(_ message: ArtifactReverify, _ context: MessageContext) -> Prepared {
        Prepared(message: message)
    }

    package func apply(
        _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<KeptArtifact> {
        let message = prepared.message
        let name = KeptVerdict.Name(
            organisation: message.organisation, app: message.app, digest: message.digest, kind: message.artifactKind)
        guard let before = try VerdictStore.verdict(on: name, in: transaction),
            let text = try ArtifactStore.text(of: message.digest, in: transaction),
            let receivedAt = try ArtifactStore.receivedAt(message.digest, in: transaction)
        else {
            return .refused(Refusal("artifact_unknown", "nothing is kept under this digest for the app"))
        }
        let app = try AppStore.known(message.app, of: message.organisation, in: transaction)
        let judged = try judge.judge(before, text, with: try AppExaminer(app), at: context.now)
        guard case .final(let verdict) = judged.judgement else {
            return .applied(KeptArtifact(before, receivedAt: receivedAt))
        }
        let after = before.judgedAnew(verdict, for: app, at: context.now)
        try VerdictStore.record(after, bucket: context.bucket, in: transaction)
        let hasTurned = after.revision != before.revision
        if hasTurned {
            try Announcement(kept: after).publish(replacing: before.verdict, outgoing: &outgoing)
            try context.note(
                .reverify, Key.app(message.organisation, message.app), isStep: true, in: transaction)
        }
        prepared.turned.withLock { $0 = hasTurned ? after : nil }
        return .applied(KeptArtifact(after, receivedAt: receivedAt))
    }

    package func committed(_ prepared: Prepared) {
        if let turned = prepared.turned.withLock({ $0 }) { measures.count(turned) }
    }
}

extension ArtifactJudge {
    /// Judges anew what a verdict is on.
    func judge(
        _ kept: KeptVerdict, _ text: String, with examiner: AppExaminer, at now: Timestamp
    ) throws -> Judged {
        // What could only be named was said to be nothing, and is looked at without being told what it is.
        let kind = Artifact.Kind.verifiable.contains(kept.name.kind) ? kept.name.kind : .auto
        return try judge(
            Artifact(kind: kind, text: text), with: examiner, at: now, receivedAt: kept.asOf)
    }
}
