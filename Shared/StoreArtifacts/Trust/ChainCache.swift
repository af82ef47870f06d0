public import FoundationEssentials
internal import Synchronization

/// Signers that have been followed to a root before, so that only their signatures remain to be checked.
///
/// Verifying only reads it. What a verification found is put in by the caller once its verdict is stored, so that work
/// that was rolled back leaves nothing behind. A signer answers only under the roots under which he was verified and
/// for dates in the validity of all his certificates.
public final class ChainCache: Sendable {
    /// What is longer than a store sends is not kept: with the capacity this bounds the memory.
    private static let longestEvidence = 16 * 1024

    private let capacity: Int
    /// Last used first. A store signs with one or two certificates at a time, so that looking through is quick.
    private let chains = Mutex<[VerifiedChain]>([])

    /// - Parameter capacity: How many signers are kept, about 5 kB each.
    public init(capacity: Int = 64) {
        self.capacity = capacity
    }

    /// How many signers are kept.
    public var count: Int { chains.withLock { $0.count } }

    /// Keeps what a verification found.
    ///
    /// Signers whose certificates have run out by `now` go first, then those that were not asked for longest.
    public func remember(_ chain: VerifiedChain, at now: Date) {
        guard chain.evidence.count <= Self.longestEvidence else { return }
        chains.withLock { chains in
            chains.removeAll {
                $0.validity.upperBound <= now
                    || $0.rootsIdentity == chain.rootsIdentity && $0.policy == chain.policy
                        && $0.evidence == chain.evidence
            }
            chains.insert(chain, at: 0)
            if chains.count > capacity { chains.removeLast(chains.count - capacity) }
        }
    }

    /// The signer whose certificates come with these bytes, if he has been verified under these roots and this policy.
    func chain(for evidence: ArraySlice<UInt8>, under roots: TrustRoots, policy: ChainPolicy) -> VerifiedChain? {
        chains.withLock { chains in
            let index = chains.firstIndex { $0.isOf(evidence, under: roots, policy: policy) }
            guard let index else { return nil }
            let chain = chains[index]
            if index > 0 {
                chains.remove(at: index)
                chains.insert(chain, at: 0)
            }
            return chain
        }
    }

    /// The signer whose certificates come with these bytes, whoever vouches for him: good for his key, not for trust.
    func signer(for evidence: ArraySlice<UInt8>) -> VerifiedChain? {
        chains.withLock { chains in chains.first { $0.evidence.isSame(as: evidence) } }
    }
}
