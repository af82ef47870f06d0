/// A verdict, and what was found on the way to it.
public struct Verification<Value: Sendable>: Sendable {
    /// The answer.
    public let verdict: Verdict<Value>
    /// Signers who were not in the cache and have signed this: to be given to ``ChainCache/remember(_:at:)`` once the
    /// verdict is stored. More than one only where signed texts are inside each other.
    public let chains: [VerifiedChain]

    /// The first of ``chains``.
    public var chain: VerifiedChain? { chains.first }

    /// A verdict, with nothing found unless it is given.
    public init(verdict: Verdict<Value>, chains: [VerifiedChain] = []) {
        self.verdict = verdict
        self.chains = chains
    }

    init(refusedFor shortfall: Shortfall) {
        self.init(verdict: Verdict(refusedFor: shortfall), chains: [])
    }

    /// What `body` finds, or the refusal for which it stops.
    static func catching(_ body: () throws -> Verification) throws -> Verification {
        do {
            return try body()
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
    }
}
