internal import FoundationEssentials
internal import Messages
package import StoreArtifacts

/// Judges artifacts with what is known of apps and of signers from before; does not write down anything by itself.
package struct ArtifactJudge: Sendable {
    /// Refusals of longer texts are not remembered for other apps: with the table's capacity this bounds the memory.
    static let longestRemembered = 8 * 1024

    private let directory: AppDirectory
    private let chains: ChainCache
    private let recent: RecentJudgements
    /// Called for each time that an artifact is really looked at.
    private let looked: @Sendable () -> Void

    /// - Parameters:
    ///   - directory: the apps as they were committed last.
    ///   - chains: signers that have been followed to a root before.
    ///   - recent: what has been judged before.
    package init(
        directory: AppDirectory, chains: ChainCache, recent: RecentJudgements,
        looked: @escaping @Sendable () -> Void = {}
    ) {
        self.directory = directory
        self.chains = chains
        self.recent = recent
        self.looked = looked
    }

    /// Where the judgement on a submission comes from, and who makes it if nobody has.
    struct Source: Sendable {
        let subject: RecentJudgements.Subject
        let examiner: AppExaminer
        let origin: RecentJudgements.Origin
    }

    /// Where the judgement on a submission for an app of the directory comes from; nil: the app is not known there.
    ///
    /// - Parameter isLookWanted: whether it is to be looked at though its verdict is on disk.
    func source(
        of digest: ArtifactDigest, as kind: Artifact.Kind, for app: AppID, of organisation: OrganisationID,
        isLookWanted: Bool
    ) -> Source? {
        guard let examiner = directory.examiner(for: app, of: organisation) else { return nil }
        let subject = RecentJudgements.Subject(
            organisation: organisation, app: app, version: examiner.record.version,
            text: .init(digest: digest, kind: kind))
        return Source(
            subject: subject, examiner: examiner, origin: recent.origin(of: subject, isLookWanted: isLookWanted))
    }

    /// How artifacts for an app of the directory are examined; nil: not known there.
    func examiner(for app: AppID, of organisation: OrganisationID) -> AppExaminer? {
        directory.examiner(for: app, of: organisation)
    }

    /// Judges an artifact.
    ///
    /// - Parameter receivedAt: when it was received: a proof by App Attest is judged as of then.
    func judge(
        _ artifact: Artifact, with examiner: AppExaminer, at now: Timestamp, receivedAt: Timestamp
    ) throws -> Judged {
        looked()
        let examination = try examiner.examine(
            artifact.text, as: artifact.kind, at: now.date, receivedAt: receivedAt.date, cache: chains)
        return Judged(examination, as: artifact.kind, basis: examiner.basis, at: now)
    }

    /// Keeps what can be used again; to be called when the verdict is on disk.
    ///
    /// - Parameter subject: nil where the app was not known outside of the transaction.
    func remember(_ judged: Judged, of subject: RecentJudgements.Subject?, length: Int) {
        judged.remember(in: chains)
        guard let subject else { return }
        recent.note(subject, storedAs: judged.kind)
        if judged.isRefusedForItsBytes, length <= Self.longestRemembered {
            recent.note(subject.text, refusedBy: judged)
        }
    }
}
