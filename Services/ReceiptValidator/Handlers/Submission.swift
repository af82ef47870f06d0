internal import Messages
internal import Messaging

/// An artifact that was handed in for an app, whatever the message that brought it.
package struct Submission: Sendable {
    /// The longest text: as long as an edge lets through.
    package static let longestText = 2 * 1024 * 1024

    let organisation: OrganisationID
    let app: AppID
    let artifact: Artifact
    let digest: ArtifactDigest

    init(_ message: ArtifactSubmit) {
        (organisation, app) = (message.organisation, message.app)
        (artifact, digest) = (message.artifact, message.digest)
    }

    init(_ message: ArtifactVerify) {
        (organisation, app) = (message.organisation, message.app)
        (artifact, digest) = (message.artifact, message.digest)
    }

    /// The verdict on it, judged as `kind`.
    func name(as kind: Artifact.Kind) -> KeptVerdict.Name {
        KeptVerdict.Name(organisation: organisation, app: app, digest: digest, kind: kind)
    }

    /// - Throws: the fault of one that can never be judged, or not by this release.
    func check() throws(MessageFault) {
        guard artifact.kind == .auto || Artifact.Kind.verifiable.contains(artifact.kind) else {
            throw MessageFault.forNow("artifact_kind_unknown", "this release does not know \(artifact.kind)")
        }
        guard artifact.text.utf8.count <= Self.longestText else {
            throw MessageFault.forever(.tooLarge, "the artifact is longer than \(Self.longestText) bytes")
        }
        guard digest == ArtifactDigest(of: artifact.text) else {
            throw MessageFault.forever("digest_mismatch", "the digest is not that of the artifact")
        }
    }
}
