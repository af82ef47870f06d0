internal import Messages

/// Options that say which artifacts a command is about.
enum ArtifactsFilter {
    // Without the settings that stand in elsewhere: whoever means all of them has to be able to say so.
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "Only those of one organisation", expectation: OrganisationID.expectation,
        parse: Subject.name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "Only those of one app", expectation: AppID.expectation, parse: Subject.name)
    static let kind = Option<Artifact.Kind>(
        "--kind", "KIND", "Only those that were judged as one kind",
        expectation: Artifact.Kind.verifiable.map(\.rawValue).joined(separator: ", ")
    ) { name in Artifact.Kind.verifiable.first { $0.rawValue == name } }
    static let reason = Option.text(
        "--reason", "REASON", "Only those that were refused for one reason, such as untrusted_chain")
    static let digest = Option<ArtifactDigest>(
        "--digest", "SHA256", "Only this one", expectation: "64 hexadecimal digits"
    ) { text in
        let isDigest = text.utf8.count == 64 && text.allSatisfy { $0.isASCII && $0.isHexDigit }
        return isDigest ? ArtifactDigest(rawValue: text.lowercased()) : nil
    }

    static let all: [any OptionDescription] = [organisation, app, kind, reason, digest]

    /// The question with these filters; the walk names the partitions.
    static func question(from arguments: Arguments) throws -> ArtifactsPage {
        var question = ArtifactsPage(partition: 0)
        question.organisation = try arguments.optional(organisation)
        question.app = try arguments.optional(app)
        question.artifactKind = try arguments.optional(kind)
        question.reason = try arguments.optional(reason)
        question.digest = try arguments.optional(digest)
        return question
    }
}
