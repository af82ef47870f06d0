internal import Crypto
package import Lane
package import Messages
internal import Messaging
package import SQLite

/// `artifact.submit.v1`: verifies an artifact for an app, once, and publishes what it says; publishes each claim that
/// comes with it under what was verified.
package struct JudgeArtifact: MessageHandler {
    /// As much as an edge lets through; what a store signs is far shorter.
    static let longestText = 256 * 1024

    /// An artifact that was looked at outside of the transaction, if its app was known there.
    package struct Prepared: Sendable {
        var message: ArtifactSubmit
        var judged: ArtifactJudge.Judged?
    }

    private let judge: ArtifactJudge

    package init(judge: ArtifactJudge) { self.judge = judge }

    package func prepare(_ message: ArtifactSubmit, _ context: MessageContext) throws -> Prepared {
        guard message.artifact.kind == .transaction else {
            throw MessageFault.forNow("artifact_kind_unknown", "this release does not know \(message.artifact.kind)")
        }
        guard message.artifact.text.utf8.count <= Self.longestText else {
            throw MessageFault.forever(.tooLarge, "the artifact is longer than \(Self.longestText) bytes")
        }
        guard message.digest == ArtifactDigest(of: message.artifact.text) else {
            throw MessageFault.forever("digest_mismatch", "the digest is not that of the artifact")
        }
        return Prepared(
            message: message,
            judged: try judge.judge(
                message.artifact.text, for: message.app, of: message.organisation, at: context.now))
    }

    package func apply(
        _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        let message = prepared.message
        guard let app = try AppStore.record(of: message.app, of: message.organisation, in: transaction) else {
            throw MessageFault.forNow(
                "app_unknown", "the app \(message.app) of \(message.organisation) is not known here")
        }
        let known = try ArtifactStore.verdict(
            on: message.digest, for: message.app, of: message.organisation, in: transaction)
        let verdict = try known ?? self.verdict(on: prepared, for: app, at: context.now)
        if known == nil {
            try ArtifactStore.keep(
                message.artifact, digest: message.digest, bucket: context.bucket, receivedAt: context.acceptedAt,
                in: transaction)
            try ArtifactStore.record(
                verdict, on: message.digest, for: app, bucket: context.bucket, judgedAt: context.now, in: transaction)
            try publish(verdict, on: message, for: app, outgoing: &outgoing)
        }
        if let claim = message.claim {
            let trust = context.isFrom(.attestGateway) ? claim.trust : .unverified
            try outgoing.send(
                LinkClaim(
                    claim, organisation: message.organisation, app: message.app, verdict: verdict, trust: trust))
        }
        switch verdict {
        case .verified: return .applied
        case .refused(let grounds): return .refused(Refusal(grounds.reason, grounds.text))
        }
    }

    package func committed(_ prepared: Prepared) { prepared.judged.map(judge.remember) }

    /// What was found in preparation, unless the app was not known then or had other roots: it may have come in this
    /// very batch.
    private func verdict(on prepared: Prepared, for app: AppRecord, at now: Timestamp) throws -> ArtifactVerdict {
        let before = prepared.judged.flatMap { $0.testRoots == app.testRoots ? $0 : nil }
        let judged = try before ?? judge.judge(prepared.message.artifact.text, for: app, at: now)
        switch judged.judgement {
        case .final(let verdict): return verdict
        case .tooEarly: throw MessageFault.forNow("signed_in_future", "signed later than now by this clock")
        }
    }

    private func publish(
        _ verdict: ArtifactVerdict, on message: ArtifactSubmit, for app: AppRecord, outgoing: inout Outgoing
    ) throws {
        switch verdict {
        case .verified(let verified):
            try outgoing.publish(
                TransactionVerified(
                    organisation: message.organisation, app: message.app, isTest: app.isTest, digest: message.digest,
                    transaction: verified))
        case .refused(let grounds):
            try outgoing.publish(
                ArtifactRefused(
                    organisation: message.organisation, app: message.app, digest: message.digest, step: grounds.step,
                    reason: grounds.reason))
        }
    }
}

extension ArtifactDigest {
    /// SHA-256 of the text's bytes, in lower-case hexadecimal.
    package init(of text: String) {
        self.init(rawValue: Digest.sha256(text.utf8).hexadecimal)
    }
}
