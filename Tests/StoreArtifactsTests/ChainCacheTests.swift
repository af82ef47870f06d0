import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Chain cache")
struct ChainCacheTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)
    let authority: TestAuthority
    let verifier: TransactionVerifier
    let cache = ChainCache(capacity: 2)

    init() throws {
        authority = try TestAuthority.make()
        verifier = Self.verifier(authority.trustRoots)
    }

    @Test("Verifying leaves the cache alone; what it found is remembered by the caller, and not found again")
    func filling() throws {
        let text = try Self.text(authority)

        let chain = try verifier.verify(text, at: Self.now, cache: cache).chain

        #expect(cache.count == 0)
        cache.remember(try #require(chain), at: Self.now)
        #expect(cache.count == 1)
        let again = try verifier.verify(text, at: Self.now, cache: cache)
        #expect(isVerified(again))
        #expect(again.chain == nil)
    }

    @Test("The same signer is kept once")
    func once() throws {
        let text = try Self.text(authority)

        for _ in 0..<3 {
            cache.remember(try #require(try verifier.verify(text, at: Self.now).chain), at: Self.now)
        }

        #expect(cache.count == 1)
    }

    @Test("A signer found in something that is not for this app may be kept; one without his signature is not found")
    func authenticity() throws {
        let other = TransactionVerifier(bundleID: "com.example.other", roots: authority.trustRoots)
        let text = try Self.text(authority)
        let forged = Array(text.dropLast(86)) + [UInt8](repeating: UInt8(ascii: "A"), count: 86)

        #expect(try other.verify(text, at: Self.now).chain != nil)
        #expect(try verifier.verify(forged, at: Self.now).chain == nil)
    }

    @Test("A known signer does not make a bad signature good")
    func badSignature() throws {
        let text = try Self.text(authority)
        cache.remember(try #require(try verifier.verify(text, at: Self.now).chain), at: Self.now)
        var parts = String(decoding: text, as: UTF8.self).split(separator: ".").map(String.init)
        parts[2] = String(decoding: try Self.text(authority), as: UTF8.self).split(separator: ".").map(String.init)[2]

        let verdict = try verifier.verify(Array(parts.joined(separator: ".").utf8), at: Self.now, cache: cache)

        // ECDSA signatures of the same bytes differ, and both are good.
        #expect(isVerified(verdict))
        parts[1] = String(parts[1].dropLast(4))
        let changed = try verifier.verify(Array(parts.joined(separator: ".").utf8), at: Self.now, cache: cache)
        #expect(!isVerified(changed))
    }

    @Test("A signer is known only under the roots that vouched for him")
    func roots() throws {
        let text = try Self.text(authority)
        cache.remember(try #require(try verifier.verify(text, at: Self.now).chain), at: Self.now)
        let stranger = Self.verifier(try TestAuthority.make().trustRoots)

        guard case .refused(.chain, .untrustedChain, _) = try stranger.verify(text, at: Self.now, cache: cache).verdict
        else {
            Issue.record("believed under other roots")
            return
        }
    }

    @Test("A known signer is refused for dates outside his certificates' validity, as an unknown one is")
    func validity() throws {
        var design = TestAuthority.Design()
        design.leafValidity = Self.now - 1000...Self.now + 1000
        let authority = try TestAuthority.make(design)
        let verifier = Self.verifier(authority.trustRoots)
        cache.remember(try #require(try verifier.verify(try Self.text(authority), at: Self.now).chain), at: Self.now)

        for offset in [-1001, -1000, 999, 1000] as [TimeInterval] {
            let text = try Self.text(authority, signedAt: Self.now + offset)
            let known = try verifier.verify(text, at: Self.now + 5000, cache: cache)
            let unknown = try verifier.verify(text, at: Self.now + 5000)
            #expect(isVerified(known) == isVerified(unknown), "\(offset)")
            #expect(isVerified(known) == (-1000..<1000).contains(offset), "\(offset)")
        }
    }

    @Test("A full cache lets go of whoever was not asked for longest")
    func capacity() throws {
        let authorities = [authority, try TestAuthority.make(), try TestAuthority.make()]
        let texts = try authorities.map { try Self.text($0) }
        let verifiers = authorities.map { Self.verifier($0.trustRoots) }
        for index in [0, 1] {
            cache.remember(try #require(try verifiers[index].verify(texts[index], at: Self.now).chain), at: Self.now)
        }
        _ = try verifiers[0].verify(texts[0], at: Self.now, cache: cache)

        cache.remember(try #require(try verifiers[2].verify(texts[2], at: Self.now).chain), at: Self.now)

        #expect(cache.count == 2)
        #expect(try verifiers[0].verify(texts[0], at: Self.now, cache: cache).chain == nil)
        #expect(try verifiers[1].verify(texts[1], at: Self.now, cache: cache).chain != nil)
    }

    @Test("Signers whose certificates have run out go when another comes")
    func runOut() throws {
        var design = TestAuthority.Design()
        design.leafValidity = Self.now - 1000...Self.now + 1000
        let shortLived = try TestAuthority.make(design)
        let chain = try Self.verifier(shortLived.trustRoots).verify(try Self.text(shortLived), at: Self.now).chain
        cache.remember(try #require(chain), at: Self.now)

        let other = try verifier.verify(try Self.text(authority), at: Self.now).chain
        cache.remember(try #require(other), at: Self.now + 1000)

        #expect(cache.count == 1)
    }

    static func verifier(_ roots: TrustRoots) -> TransactionVerifier {
        TransactionVerifier(bundleID: "com.example.app", roots: roots)
    }

    static func text(_ authority: TestAuthority, signedAt date: Date = now) throws -> [UInt8] {
        var store = SimulatedStore(bundleID: "com.example.app")
        return Array(try authority.signTransaction(store.buy(.subscription("pro"), at: date).latest).utf8)
    }

    func isVerified(_ verification: Verification<TransactionPayload>) -> Bool {
        if case .verified = verification.verdict { true } else { false }
    }
}
