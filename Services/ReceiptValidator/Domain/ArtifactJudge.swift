package import Messages
package import StoreArtifacts

/// Judges artifacts with what is known of apps and of signers from before; does not write down anything by itself.
package struct ArtifactJudge: Sendable {
    /// A judgement with what it depends on, and what was found on the way.
    package struct Judged: Sendable {
        package let judgement: Judgement
        /// Under which test roots; all that a judgement depends on besides the bytes.
        package let testRoots: [String]
        fileprivate let chain: VerifiedChain?
        fileprivate let judgedAt: Timestamp
    }

    private let directory: AppDirectory
    private let chains: ChainCache

    /// - Parameters:
    ///   - directory: the apps as they were committed last.
    ///   - chains: signers that have been followed to a root before.
    package init(directory: AppDirectory, chains: ChainCache) {
        self.directory = directory
        self.chains = chains
    }

    /// Judges a signed transaction for an app of the directory; nil: the app is not known there.
    package func judge(
        _ text: String, for app: AppID, of organisation: OrganisationID, at now: Timestamp
    ) throws -> Judged? {
        try directory.verifier(for: app, of: organisation).map { try judge(text, with: $0, at: now) }
    }

    /// Judges a signed transaction for this app, whatever the directory says.
    package func judge(_ text: String, for app: AppRecord, at now: Timestamp) throws -> Judged {
        try judge(text, with: try AppVerifier(app), at: now)
    }

    /// Keeps the signer that was found; to be called when the verdict is on disk.
    package func remember(_ judged: Judged) {
        if let chain = judged.chain { chains.remember(chain, at: judged.judgedAt.date) }
    }

    private func judge(_ text: String, with verifier: AppVerifier, at now: Timestamp) throws -> Judged {
        let (judgement, chain) = try verifier.judge(text, at: now.date, cache: chains)
        return Judged(judgement: judgement, testRoots: verifier.record.testRoots, chain: chain, judgedAt: now)
    }
}
