internal import Apps
internal import Crypto
internal import Lane
internal import Messages
internal import Messaging
internal import SQLite
internal import Synchronization

/// What all have in common that bring an artifact: it is looked at outside of the transaction, once; the verdict is stored
/// and published if it is the first.
struct SubmissionDesk: Sendable {
    /// What is held of an artifact now.
    enum Standing {
        /// A verdict, and what came of looking at the artifact this time, if somebody did.
        case kept(KeptVerdict, Judged?)
        /// None for now.
        case notYet(Judged)
    }

    let judge: ArtifactJudge
    let measures: VerdictMeasures

    /// - Parameter isReportWanted: then it is looked at though there is a verdict.
    func prepare(
        _ submission: Submission, _ context: MessageContext, isReportWanted: Bool = false
    ) throws -> PreparedSubmission {
        try submission.check()
        // Whoever publishes a message can write any time of acceptance into it; edges are believed.
        let receivedAt = context.isFrom(.attestGateway) ? context.acceptedAt : context.now
        let source = judge.source(
            of: submission.digest, as: submission.artifact.kind, for: submission.app, of: submission.organisation,
            isLookWanted: isReportWanted)
        let prepared = PreparedSubmission(submission: submission, receivedAt: receivedAt, source: source)
        // Here, where others are at work beside us, and not in the transaction.
        _ = try look(prepared, at: context.now)
        return prepared
    }

    /// Stores and publishes the verdict, unless there is one.
    func settle(
        _ prepared: PreparedSubmission, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Standing {
        let submission = prepared.submission
        let app = try AppStore.known(submission.app, of: submission.organisation, in: transaction)
        if case .stored(let kind)? = prepared.source?.origin,
            let kept = try VerdictStore.verdict(on: submission.name(as: kind), in: transaction)
        {
            return .kept(kept, nil)
        }
        let judged = try look(prepared, at: context.now, for: app)
        let name = submission.name(as: judged.kind)
        if let kept = try VerdictStore.verdict(on: name, in: transaction) {
            prepared.note(judged, isFirst: nil)
            return .kept(kept, judged)
        }
        switch judged.judgement {
        case .notYet: return .notYet(judged)
        case .final(let verdict):
            let isProof = judged.isProof
            let kept = KeptVerdict(
                verdict, on: name, for: app, asOf: isProof ? prepared.receivedAt : context.now, at: context.now)
            try ArtifactStore.keep(
                submission.artifact.text, digest: submission.digest, bucket: context.bucket,
                receivedAt: context.acceptedAt, in: transaction)
            try VerdictStore.record(kept, bucket: context.bucket, in: transaction)
            try Announcement(kept: kept).publish(outgoing: &outgoing)
            prepared.note(judged, isFirst: kept)
            return .kept(kept, judged)
        }
    }

    /// To be called when the verdict is on disk.
    func committed(_ prepared: PreparedSubmission) {
        let (judged, first) = prepared.noted
        if let judged {
            judge.remember(
                judged, of: prepared.source?.subject, length: prepared.submission.artifact.text.utf8.count)
        }
        if let first { measures.count(first) }
    }

    /// Looks at the artifact, unless that has been done by this submission or another one like it.
    ///
    /// - Parameter app: as the store knows it: it may have come in this very batch.
    func look(_ prepared: PreparedSubmission, at now: Timestamp, for app: AppRecord) throws -> Judged {
        if let judged = try look(prepared, at: now),
            judged.basis == AppExaminer.Basis(app) || judged.isRefusedForItsBytes
        {
            return judged
        }
        return try judge.judge(
            prepared.submission.artifact, with: try AppExaminer(app), at: now, receivedAt: prepared.receivedAt)
    }

    private func look(_ prepared: PreparedSubmission, at now: Timestamp) throws -> Judged? {
        guard let source = prepared.source, case .shared(let shared) = source.origin else { return nil }
        return try shared.value {
            try judge.judge(
                prepared.submission.artifact, with: source.examiner, at: now, receivedAt: prepared.receivedAt)
        }
    }
}

/// A submission that was looked at outside of the transaction, if its app was known there and its verdict was not.
package final class PreparedSubmission: Sendable {
    let submission: Submission
    /// As of when a proof by App Attest is judged.
    let receivedAt: Timestamp
    let source: ArtifactJudge.Source?
    private let notes = Mutex<(judged: Judged?, first: KeptVerdict?)>((nil, nil))

    init(submission: Submission, receivedAt: Timestamp, source: ArtifactJudge.Source?) {
        self.submission = submission
        self.receivedAt = receivedAt
        self.source = source
    }

    /// What there is to remember and to count once it is on disk; the last time that it was applied decides.
    fileprivate func note(_ judged: Judged, isFirst first: KeptVerdict?) { notes.withLock { $0 = (judged, first) } }

    fileprivate var noted: (judged: Judged?, first: KeptVerdict?) { notes.withLock { $0 } }
}

extension AppStore {
    /// - Throws: the fault of an app that may be known later.
    static func known(
        _ app: AppID, of organisation: OrganisationID, in store: borrowing some Reading & ~Copyable
    ) throws -> AppRecord {
        guard let record = try record(of: app, of: organisation, in: store) else {
            throw MessageFault.unknownApp(app, of: organisation)
        }
        return record
    }
}

extension ArtifactDigest {
    /// SHA-256 of the text's bytes, in lower-case hexadecimal.
    package init(of text: String) {
        self.init(rawValue: Digest.sha256(text.utf8).hexadecimal)
    }
}
