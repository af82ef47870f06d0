package import Messages

/// A verdict as it is kept.
package struct KeptVerdict: Sendable {
    /// What a verdict is on, and for whom.
    package struct Name: Hashable, Sendable {
        package var organisation: OrganisationID
        package var app: AppID
        package var digest: ArtifactDigest
        /// As what it was judged.
        package var kind: Artifact.Kind

        package init(organisation: OrganisationID, app: AppID, digest: ArtifactDigest, kind: Artifact.Kind) {
            self.organisation = organisation
            self.app = app
            self.digest = digest
            self.kind = kind
        }
    }

    package var name: Name
    package var verdict: ArtifactVerdict
    /// For a test app: what it tells counts there alone.
    package var isTest: Bool
    /// As of when it is judged, each time.
    package var asOf: Timestamp
    package var judgedAt: Timestamp
    /// The version of the app under whose roots and keys it was judged.
    package var appVersion: Int
    package var ruleset: Int
    /// How often it has turned.
    package var revision: Int

    /// A first verdict.
    init(_ verdict: ArtifactVerdict, on name: Name, for app: AppRecord, asOf: Timestamp, at now: Timestamp) {
        self.init(
            name: name, verdict: verdict, isTest: app.isTest, asOf: asOf, judgedAt: now, appVersion: app.version,
            ruleset: Ruleset.current, revision: 0)
    }

    init(
        name: Name, verdict: ArtifactVerdict, isTest: Bool, asOf: Timestamp, judgedAt: Timestamp, appVersion: Int,
        ruleset: Int, revision: Int
    ) {
        self.name = name
        self.verdict = verdict
        self.isTest = isTest
        self.asOf = asOf
        self.judgedAt = judgedAt
        self.appVersion = appVersion
        self.ruleset = ruleset
        self.revision = revision
    }

    /// What it becomes when it is judged anew.
    func judgedAnew(_ verdict: ArtifactVerdict, for app: AppRecord, at now: Timestamp) -> KeptVerdict {
        KeptVerdict(
            name: name, verdict: verdict, isTest: isTest, asOf: asOf, judgedAt: now, appVersion: app.version,
            ruleset: Ruleset.current, revision: turns(into: verdict) ? revision + 1 : revision)
    }

    /// Whether another verdict has to be told in its place: it says something else, or something that nobody took when
    /// this one was told.
    func turns(into verdict: ArtifactVerdict) -> Bool {
        let wasHeard = ruleset >= Ruleset.firstWithRenewalsHeard || verdict.facts.renewals.isEmpty
        return !wasHeard || !verdict.isSame(as: self.verdict)
    }
}

extension KeptArtifact {
    init(_ kept: KeptVerdict, receivedAt: Timestamp, anew: Verdict? = nil) {
        self.init(
            organisation: kept.name.organisation, app: kept.name.app, digest: kept.name.digest,
            artifactKind: kept.name.kind, receivedAt: receivedAt, judgedAt: kept.judgedAt, ruleset: kept.ruleset,
            revision: kept.revision, verdict: Verdict(kept.verdict), anew: anew)
    }
}
