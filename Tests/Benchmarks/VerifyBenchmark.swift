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

    return VerifyRates(
        signatures: try rate(for: duration) { _ in
            guard try publicKey.isValid(rawSignature: signature, over: message) else { throw BenchmarkError() }
        },
        known: try rate(for: duration) { round in
            guard case .verified = try verifier.verify(texts[round % texts.count], at: now, cache: cache).verdict
            else { throw BenchmarkError() }
        },
        unknown: try rate(for: duration) { round in
            guard case .verified = try verifier.verify(texts[round % texts.count], at: now).verdict
            else { throw BenchmarkError() }
        },
        signed: try rate(for: duration) { round in
            _ = try authority.signTransaction(transactions[round % transactions.count])
        })
}

/// Something that has to succeed did not: its speed says nothing.
struct BenchmarkError: Error {}

private func rate(for duration: Duration, of body: (Int) throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let start = clock.now
    var rounds = 0
    while clock.now - start < duration {
        for _ in 0..<64 {
            try body(rounds)
            rounds += 1
        }
    }
    let elapsed = (clock.now - start).components
    return Double(rounds) / (Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18)
}
