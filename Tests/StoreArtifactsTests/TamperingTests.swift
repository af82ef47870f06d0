import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

/// One genuine text, changed in every way that takes one step.
@Suite("Tampering")
struct TamperingTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    let authority: TestAuthority
    let verifier: TransactionVerifier
    let cache = ChainCache()
    let text: [UInt8]

    init() throws {
        authority = try TestAuthority.make()
        var store = SimulatedStore(bundleID: "com.example.app")
        text = Array(try authority.signTransaction(store.buy(.subscription("pro"), at: Self.now).latest).utf8)
        verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        if let chain = try verifier.verify(text, at: Self.now).chain { cache.remember(chain, at: Self.now) }
    }

    @Test("Cut at any byte it is refused, the signer known or not", arguments: [true, false])
    func truncation(isKnown: Bool) throws {
        for count in 0..<text.count {
            #expect(try isRefused(Array(text.prefix(count)), isKnown: isKnown), "\(count) bytes")
        }
    }

    @Test("With any one bit changed it is refused")
    func bits() async throws {
        try await sideBySide(0..<text.count * 8) { bit in
            var changed = text
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            // A changed header is that of an unknown signer, so that both ways are gone.
            let isRefused = try isRefused(changed, isKnown: true)
            #expect(isRefused, "bit \(bit)")
        }
    }

    @Test("Renewal information is refused with any one bit of payload or signature changed")
    func renewal() async throws {
        var store = SimulatedStore(bundleID: "com.example.app")
        let purchase = store.buy(.subscription("pro"), at: Self.now)
        let text = Array(try authority.signRenewal(try #require(purchase.renewal)).utf8)
        let verifier = RenewalVerifier(roots: authority.trustRoots)
        #expect(try verifier.verify(text, at: Self.now).verdict.isVerified)

        try await sideBySide(bitsOfSignedText(text)) { bit in
            var changed = text
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            let isVerified = try verifier.verify(changed, at: Self.now, cache: cache).verdict.isVerified
            #expect(!isVerified, "bit \(bit)")
        }
    }

    @Test("With parts of others in it, it is refused", arguments: [1, 2, 3] as [UInt64])
    func splices(seed: UInt64) throws {
        var state = seed
        func random(below limit: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % limit
        }
        for _ in 0..<500 {
            let (from, to) = (random(below: text.count), random(below: text.count))
            var changed = text
            changed.replaceSubrange(
                min(from, to)..<max(from, to), with: text[random(below: text.count)...].prefix(random(below: 64)))
            guard changed != text else { continue }
            #expect(try isRefused(changed, isKnown: true), "seed \(seed)")
        }
    }

    private func isRefused(_ text: [UInt8], isKnown: Bool) throws -> Bool {
        let verification = try verifier.verify(text, at: Self.now, cache: isKnown ? cache : nil)
        if case .refused = verification.verdict { return verification.chain == nil }
        return false
    }
}
