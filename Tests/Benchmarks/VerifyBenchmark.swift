import Crypto
import FoundationEssentials
import StoreArtifacts
import StoreSimulator

/// How fast signed transactions are made and verified on one thread.
struct VerifyRates {
    /// Bare P-256 verifications of a short message: the ceiling.
    var signatures: Double
    /// Transactions whose signer is in the cache.
    var known: Double
    /// Transactions whose chain has to be followed to the root.
    var unknown: Double
    /// Transactions signed by the test authority.
    var signed: Double

    /// What is left of the ceiling for whoever is in the cache.
    var ratio: Double { known / signatures }
}

/// Signed transactions a second on one thread, their signer seen before.
func verifyFindings() async throws -> [Finding] {
    let rates = try verifyBenchmark()
    return [
        Finding(
            benchmark: "verify", what: "transactions/s, chain seen before", value: rates.known, limit: rates.signatures,
            goal: "≥ 0.8 of bare P-256 verifications", isReached: rates.ratio >= 0.8)
    ]
}

/// Measures verification with transactions of a test authority.
func verifyBenchmark(for duration: Duration = .seconds(2)) throws -> VerifyRates {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let authority = try TestAuthority.make()
    var store = SimulatedStore(bundleID: "com.example.app")
    let transactions = (0..<64).map { store.buy(.subscription("pro.\($0)"), at: now).latest }
    let texts = try transactions.map { Array(try authority.signTransaction($0).utf8) }
    let verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
    let cache = ChainCache()
    if let chain = try verifier.verify(texts[0], at: now).chain { cache.remember(chain, at: now) }

    let key = try PrivateKey.generate()
    let publicKey = try key.publicKey
    let message = RandomBytes.make(32)
    let signature = try key.rawSignature(over: message)

    var (signatures, known, unknown, signed) = (Tally(), Tally(), Tally(), Tally())
    // By turns and in short slices: what else the machine does then slows all of them alike, and the ratio holds.
    for _ in 0..<50 {
        try signatures.measure(for: duration / 50) { _ in
            guard try publicKey.isValid(rawSignature: signature, over: message) else { throw BenchmarkError() }
        }
        try known.measure(for: duration / 50) { round in
            guard case .verified = try verifier.verify(texts[round % texts.count], at: now, cache: cache).verdict
            else { throw BenchmarkError() }
        }
        try unknown.measure(for: duration / 50) { round in
            guard case .verified = try verifier.verify(texts[round % texts.count], at: now).verdict
            else { throw BenchmarkError() }
        }
        try signed.measure(for: duration / 50) { round in
            _ = try authority.signTransaction(transactions[round % transactions.count])
        }
    }
    return VerifyRates(
        signatures: signatures.perSecond, known: known.perSecond, unknown: unknown.perSecond, signed: signed.perSecond)
}

/// Something that has to succeed did not: its speed says nothing.
struct BenchmarkError: Error {}
