package import Lane
package import Messages
package import SQLite

/// `artifacts.page.v1`: which artifacts are kept, and which verdicts would turn if they were reached today.
package struct PageArtifacts: QueryHandler {
    package static let isLengthy = true

    /// How much text a page looks at, at most one artifact more.
    static let mostBytes = 4 * 1024 * 1024

    private let judge: ArtifactJudge
    private let pageSize: Int
    private let now: @Sendable () -> Timestamp

    package init(judge: ArtifactJudge, pageSize: Int = 200, now: @escaping @Sendable () -> Timestamp) {
        self.judge = judge
        self.pageSize = pageSize
        self.now = now
    }

    package func answer(
        _ query: ArtifactsPage, in snapshot: borrowing Snapshot
    ) throws -> Verdict<ArtifactsPage.Value> {
        let filter = VerdictStore.Filter(
            organisation: query.organisation, app: query.app, kind: query.artifactKind, reason: query.reason,
            digest: query.digest)
        let page = try VerdictStore.page(
            filter, after: query.after.flatMap(KeptVerdict.Name.init(cursor:)), limit: pageSize, in: snapshot)
        var value = ArtifactsPage.Value(artifacts: [], looked: 0, next: nil)
        var bytes = 0
        for kept in page {
            value.looked += 1
            value.next = kept.name.cursor
            guard filter.takes(kept),
                let receivedAt = try ArtifactStore.receivedAt(kept.name.digest, in: snapshot)
            else { continue }
            guard query.onlyTurning else {
                value.artifacts.append(KeptArtifact(kept, receivedAt: receivedAt))
                continue
            }
            let text = try ArtifactStore.text(of: kept.name.digest, in: snapshot) ?? ""
            if let anew = try anew(kept, text) {
                value.artifacts.append(KeptArtifact(kept, receivedAt: receivedAt, anew: anew))
            }
            bytes += text.utf8.count
            if bytes >= Self.mostBytes { return .applied(value) }
        }
        if page.count < pageSize { value.next = nil }
        return .applied(value)
    }

    /// The verdict of today, where it is another one.
    private func anew(_ kept: KeptVerdict, _ text: String) throws -> KeptArtifact.Verdict? {
        guard let examiner = judge.examiner(for: kept.name.app, of: kept.name.organisation) else { return nil }
        let judged = try judge.judge(kept, text, with: examiner, at: now())
        guard case .final(let verdict) = judged.judgement, kept.turns(into: verdict) else { return nil }
        return KeptArtifact.Verdict(verdict)
    }
}

extension KeptVerdict.Name {
    /// Where a page ended, for the next one. No part has a slash in it: the registry takes none, and digest and kind are
    /// ours.
    var cursor: String { "\(organisation)/\(app)/\(digest)/\(kind)" }

    init?(cursor: String) {
        let parts = cursor.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 4 else { return nil }
        self.init(
            organisation: OrganisationID(rawValue: parts[0]), app: AppID(rawValue: parts[1]),
            digest: ArtifactDigest(rawValue: parts[2]), kind: Artifact.Kind(rawValue: parts[3]))
    }
}
