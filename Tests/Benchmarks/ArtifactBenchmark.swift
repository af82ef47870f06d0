import CBareCrypto
import Crypto
import FoundationEssentials
import StoreArtifacts
import StoreSimulator

/// Receipts and attestations on one thread, whoever signs them seen before, against the bare operations in C; and what a
/// second thread gains.
func artifactBenchmark() async throws -> [Finding] {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    let authority = try TestAuthority.make()
    return [
        try receiptRate(of: authority, at: now), try longReceiptTime(of: authority, at: now),
        try attestationRate(of: authority, at: now), try await gainOfTwoThreads(of: authority, at: now),
    ]
}

private func receiptRate(of authority: TestAuthority, at now: Date) throws -> Finding {
    let receipt = try receipt(of: authority, purchases: 9, at: now)
    let roots = TrustRoots([authority.root], areTest: true)
    let verifier = ReceiptVerifier(bundleID: "com.example.app", roots: roots)
    let cache = ChainCache()
    for chain in try verifier.verify(receipt, at: now).chains { cache.remember(chain, at: now) }
    let root = authority.root.der
    let (rate, bare) = try ratePerSecond {
        guard try verifier.verify(receipt, at: now, cache: cache).verdict.isVerified else { throw BenchmarkError() }
    } against: {
        bare_cms_verify(receipt, receipt.count, root, root.count, Int(now.timeIntervalSince1970), $0 / .seconds(1))
    }
    return Finding(
        benchmark: "artifacts", what: "receipts/s (\(receipt.count) bytes), chain seen before", value: rate,
        limit: bare, goal: "≥ 0.7 of bare CMS verification", isReached: rate >= 0.7 * bare)
}

private func longReceiptTime(of authority: TestAuthority, at now: Date) throws -> Finding {
    let receipt = try receipt(of: authority, purchases: 187, at: now)
    // The fastest of many slices: time that something else has taken is not the decoder's.
    let milliseconds =
        try (0..<20).map { _ in
            var tally = Tally()
            try tally.measure(for: .milliseconds(50)) { _ in _ = try SignedReceipt(receipt) }
            return 1000 / tally.perSecond
        }.min() ?? .infinity
    return Finding(
        benchmark: "artifacts", what: "ms to decode a receipt of 187 purchases", value: milliseconds, goal: "< 1 ms",
        isReached: milliseconds < 1)
}

private func attestationRate(of authority: TestAuthority, at now: Date) throws -> Finding {
    let hash = Digest.sha256("challenge".utf8)
    let device = try SimulatedDevice(appID: "TEAM123456.com.example.app")
    let attestation = try device.attest(clientDataHash: hash, by: authority, at: now)
    let roots = TrustRoots([authority.root], areTest: true)
    let verifier = AttestationVerifier(appID: device.appID, environments: nil, roots: roots, receiptRoots: roots)
    let cache = ChainCache()
    func verify() throws -> Verification<VerifiedAttestation> {
        try verifier.verify(
            attestation, keyID: device.keyID, clientData: .hash(hash), at: now, cache: cache)
    }
    for chain in try verify().chains { cache.remember(chain, at: now) }
    let (rate, bare) = try ratePerSecond {
        guard try verify().verdict.isVerified else { throw BenchmarkError() }
    } against: { slice in
        // The device's certificate is signed with P-384, the receipt with P-256.
        let half = slice / .seconds(2)
        return serial(bare_ecdsa_verify("P-384", half), bare_ecdsa_verify("P-256", half))
    }
    return Finding(
        benchmark: "artifacts", what: "attestations/s, authorities seen before", value: rate, limit: bare,
        goal: "≥ 0.8 of one P-384 and one P-256 verification", isReached: rate >= 0.8 * bare)
}

/// Two threads against one, for transactions and for bare signatures.
private func gainOfTwoThreads(of authority: TestAuthority, at now: Date) async throws -> Finding {
    var store = SimulatedStore(bundleID: "com.example.app")
    let text = Array(try authority.signTransaction(store.buy(.subscription("pro"), at: now).latest).utf8)
    let verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
    let cache = ChainCache()
    for chain in try verifier.verify(text, at: now).chains { cache.remember(chain, at: now) }
    @Sendable func transactions() throws -> Double {
        try ratePerSecond {
            guard try verifier.verify(text, at: now, cache: cache).verdict.isVerified else { throw BenchmarkError() }
        }
    }
    let gain = try await onTwoThreads(transactions) / (try transactions())
    let bare = try await onTwoThreads { bare_ecdsa_verify("P-256", 1) } / bare_ecdsa_verify("P-256", 1)
    return Finding(
        benchmark: "artifacts", what: "times as many transactions/s on two threads", value: gain, limit: bare,
        goal: "≥ 0.9 of what bare verification gains", isReached: gain >= 0.9 * bare)
}

private func onTwoThreads(_ rate: @escaping @Sendable () throws -> Double) async throws -> Double {
    async let first = rate()
    async let second = rate()
    return try await first + second
}

private func receipt(of authority: TestAuthority, purchases: Int, at now: Date) throws -> [UInt8] {
    var store = SimulatedStore(bundleID: "com.example.app")
    var design = ReceiptDesign(bundleID: "com.example.app", createdAt: now)
    design.purchases = (0..<purchases).map { number in
        ReceiptPurchase(store.buy(.subscription("pro.\(number)"), at: now).latest)
    }
    return try authority.signReceipt(design)
}

/// How often a second something can be done, over one second.
private func ratePerSecond(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    var count = 0
    repeat {
        for _ in 0..<16 { try body() }
        count += 16
    } while .now - start < .seconds(1)
    return rate(count, in: .now - start)
}
