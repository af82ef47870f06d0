import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

@Suite("Tampering with receipts")
struct ReceiptTamperingTests {
    let sample: ReceiptSample

    init() throws { sample = try ReceiptSample() }

    /// With two purchases and no more than what every receipt has, so that it is small.
    static func small(_ design: inout ReceiptDesign) {
        design.changes.missing = [6, 7, 8, 9, 11, 13, 14, 20, 25]
        design.purchases = ["1", "2"].map { id in
            ReceiptSample.purchase { purchase in
                purchase.transactionID = id
                purchase.changes.missing = [1709, 1710, 1714, 1715, 1716, 1717, 1718, 1722]
            }
        }
    }

    static let forms = [false, true]

    func bytes(isIndefinite: Bool) throws -> [UInt8] {
        let payload = ReceiptSample.design(Self.small).payload
        var container = SignedDataDesign(payload, signedBy: sample.signer)
        container.certificates = [sample.signer.certificate, sample.authority.intermediate]
        if isIndefinite { container.form = .indefinite(segment: 200) }
        return try container.encoded()
    }

    @Test("Cut at any byte it is refused", arguments: forms)
    func truncation(isIndefinite: Bool) throws {
        let bytes = try bytes(isIndefinite: isIndefinite)
        for count in bytes.indices {
            #expect(
                try sample.verdict(Array(bytes.prefix(count))).words == "structure malformed", "\(count) bytes")
        }
    }

    @Test("With any one bit changed it is refused, or says the same")
    func bits() async throws {
        let bytes = try bytes(isIndefinite: false)

        try await change(bytes, bits: 0..<bytes.count * 8)
    }

    @Test("So is one in segments, with one bit of each byte changed")
    func bitsOfSegments() async throws {
        let bytes = try bytes(isIndefinite: true)

        try await change(bytes, bits: bytes.indices.map { $0 * 8 + $0 % 8 })
    }

    private func change(_ bytes: [UInt8], bits: some Sequence<Int>) async throws {
        let (verifier, fields) = (ReceiptVerifier(roots: sample.roots), try SignedReceipt(bytes).fields())
        // With the signer known, the time goes into those changes that make him another one.
        let cache = ChainCache()
        cache.remember(
            try #require(try verifier.verify(bytes, at: ReceiptSample.now).chain), at: ReceiptSample.now)
        try await sideBySide(bits) { bit in
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            switch try verifier.verify(changed, at: .distantFuture, cache: cache).verdict {
            case .verified(let receipt): #expect(receipt.fields() == fields, "bit \(bit)")
            case .refused: break
            case .retryable(let reason): Issue.record("bit \(bit): \(reason)")
            }
        }
    }

    @Test("One changed bit in the payload, the signature or a certificate is refused")
    func places() throws {
        let bytes = try bytes(isIndefinite: false)
        let payload = try #require(bytes.firstRange(of: Array(ReceiptSample.bundleID.utf8)))
        let leaf = try #require(bytes.firstRange(of: sample.signer.certificate.der))
        let places = [
            payload.lowerBound, leaf.upperBound - 1, leaf.lowerBound + 300, bytes.count - 1, bytes.count - 200,
        ]
        for place in places {
            var changed = bytes
            changed[place] ^= 4
            #expect(try !sample.verdict(changed).isVerified, "byte \(place)")
        }
    }

    @Test("Five thousand purchases are read and verified, in time that grows with their number and no faster")
    func many() throws {
        let row = ReceiptSample.purchase { $0.expiresDate = ReceiptSample.now + 60 }
        func receipt(_ count: Int) throws -> [UInt8] {
            try sample.signed { design in
                design.changes.isUnsorted = true
                design.purchases = [ReceiptPurchase](repeating: row, count: count)
            }
        }
        let (few, many) = (try receipt(500), try receipt(5000))
        #expect(many.count > 1 << 20)
        func shortest(of rounds: Int, _ bytes: [UInt8]) throws -> Duration {
            try (0..<rounds).map { _ in try processorTime { _ = try SignedReceipt(bytes) } }.min() ?? .zero
        }

        #expect(try sample.verdict(many).value?.receipt.purchases.count == 5000)
        // Ten times as many: a quadratic reader takes a hundred times as long.
        #expect(try shortest(of: 2, many) < shortest(of: 5, few) * 40)
    }

    @Test("More purchases than anybody can have are refused")
    func tooMany() throws {
        let row = ReceiptSample.purchase { $0.changes.missing = Set(1701...1722).subtracting([1704]) }
        let bytes = try sample.signed { design in
            design.changes.isUnsorted = true
            design.purchases = [ReceiptPurchase](repeating: row, count: 20_001)
        }

        #expect(try sample.verdict(bytes).message == "more than 20000 purchases")
    }

    @Test("A receipt of a megabyte in segments of one byte is read")
    func manySegments() throws {
        let filler = ReceiptAttribute(9999, bytes: [UInt8](repeating: 7, count: 400_000))
        let content = ReceiptSample.design { $0.changes.extra = [filler] }.payload
        let bytes = try sample.contained { container in
            container.content = content
            container.form = .indefinite(segment: 1)
        }

        #expect(bytes.count > 1 << 20)
        #expect(try sample.verdict(bytes).words == "verified")
    }
}
