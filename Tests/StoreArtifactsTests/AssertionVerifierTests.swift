import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Assertions")
struct AssertionVerifierTests {
    static let appID = "TEAM123456.com.example.app"
    static let request = Array(#"{"amount":1}"#.utf8)
    static let hash = Digest.sha256(request)

    private var device: SimulatedDevice

    init() throws {
        device = try SimulatedDevice(appID: Self.appID)
    }

    typealias Fault = StoreArtifactsTests.Fault<AssertionDesign>

    /// One fault for each step, in the order of the steps.
    static let steps = [
        Fault("bytes behind it", .cbor, .malformed) { $0.trailing = [0xA0] },
        Fault("another key", .signature, .badSignature) { $0.key = try PrivateKey.generate() },
        Fault("another app", .appID, .wrongApp) { $0.appID = "TEAM123456.com.example.other" },
        Fault("the same counter again", .counter, .counter) { $0.counter = 0 },
    ]

    static let faults = [
        Fault("no signature", .cbor, .malformed) { $0.missingMembers = ["signature"] },
        Fault("no authenticator data", .cbor, .malformed) { $0.missingMembers = ["authenticatorData"] },
        Fault("nothing", .cbor, .malformed) { $0.missingMembers = ["signature", "authenticatorData"] },
        Fault("no map behind the counter", .cbor, .malformed) { $0.extensions = [0x01] },
        Fault("two maps behind the counter", .cbor, .malformed) { $0.extensions = [0xA0, 0xA0] },
        Fault("half a map behind the counter", .cbor, .malformed) { $0.extensions = [0xA1, 0x01] },
        Fault("an empty signature", .signature, .badSignature) { $0.signature = [] },
        Fault("a signature that is none", .signature, .badSignature) { $0.signature = [0x30, 0x03, 0x02, 0x01, 0x01] },
        Fault("another request", .signature, .badSignature) { $0.signedHash = Digest.sha256([]) },
    ]

    @Test("A device's assertion is verified")
    func genuine() throws {
        var device = device
        for counter in 1...3 as ClosedRange<UInt32> {
            let bytes = try device.assert(clientDataHash: Self.hash)

            guard case .verified(let assertion) = try verify(bytes, lastCounter: counter - 1) else {
                Issue.record("not verified")
                return
            }

            #expect(assertion.counter == counter)
            #expect(assertion.fields == ["counter": .integer(Int64(counter)), "flags": .integer(0x40)])
        }
    }

    @Test("Each step fails for its own reason", arguments: steps + faults)
    func fault(fault: Fault) throws {
        try expectRefusal(of: verify(assert([fault])), fault.step, fault.reason)
    }

    @Test("Of several faults the one is named whose step comes first", arguments: steps.indices)
    func order(first: Int) throws {
        try expectRefusal(
            of: verify(assert(Array(Self.steps[first...]))), Self.steps[first].step, Self.steps[first].reason)
    }

    @Test(
        "The counter has to grow, by whatever",
        arguments: [(0, 1, true), (1, 1, false), (5, 4, false), (1, 4_294_967_295, true)] as [(UInt32, UInt32, Bool)])
    func counter(last: UInt32, counter: UInt32, isVerified: Bool) throws {
        let bytes = try assert([Fault("", .counter, .counter) { $0.counter = counter }])

        #expect(try verify(bytes, lastCounter: last).isVerified == isVerified)
        #expect(try verify(bytes, lastCounter: nil).isVerified)
    }

    @Test("The key may be a point or a SubjectPublicKeyInfo; anything else is no key")
    func keys() throws {
        let bytes = try assert([])

        #expect(try verify(bytes, publicKey: device.key.publicKey.der).isVerified)

        let others = [[], [4], Array(device.publicKey.dropLast()), device.publicKey + [0], device.keyID]
        for key in others + [try PrivateKey.generate(.p384).publicKey.der] {
            try expectRefusal(of: verify(bytes, publicKey: key), .signature, .badKey)
        }
        let verdict = try AssertionVerifier(appID: nil).verify(
            bytes, publicKey: nil, clientData: .bytes(Self.request), lastCounter: nil)
        expectRefusal(of: verdict, .signature, .badKey)
    }

    @Test("The signature is over a nonce that is hashed again, in DER: the nonce alone and r‖s are refused")
    func forms() throws {
        var device = device
        let key = device.key
        let raw = try device.assert(clientDataHash: Self.hash) { design in
            design.signature = try key.rawSignature(over: [UInt8](repeating: 0, count: 32))
        }
        let bare = try device.assert(clientDataHash: Self.hash) { design in
            design.signature = try key.signature(over: Digest.sha256(design.appID.utf8) + Self.hash)
        }

        try expectRefusal(of: verify(raw), .signature, .badSignature)
        try expectRefusal(of: verify(bare), .signature, .badSignature)
    }

    @Test("A map behind the counter is kept")
    func extensions() throws {
        let bytes = try assert([
            Fault("", .cbor, .malformed) {
                $0.extensions = AttestationDesign.extensions(bundleVersion: 1, validationCategory: 2)
            }
        ])

        guard case .verified(let assertion) = try verify(bytes) else {
            Issue.record("not verified")
            return
        }

        #expect(assertion.extensions?["apple_validation_category_01"] == .string("02000000"))
        #expect(Assertion(unverified: bytes) == assertion)
    }

    @Test("Without the client data nothing is verified")
    func noClientData() throws {
        let verdict = try AssertionVerifier(appID: Self.appID).verify(
            assert([]), publicKey: device.publicKey, clientData: nil, lastCounter: 0)

        expectRefusal(of: verdict, .signature, .badSignature)
    }

    @Test("Cut at any byte, or with any bit changed, it is refused")
    func tampering() throws {
        let bytes = try assert([])

        for count in bytes.indices {
            #expect(try !verify(Array(bytes.prefix(count))).isVerified, "\(count) bytes")
        }
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                #expect(try !verify(changed).isVerified, "byte \(index), bit \(bit)")
            }
        }
    }

    private func assert(_ faults: [Fault]) throws -> [UInt8] {
        var device = device
        return try device.assert(clientDataHash: Self.hash) { design in
            for fault in faults { try fault.change(&design) }
        }
    }

    private func verify(
        _ bytes: [UInt8], publicKey: [UInt8]? = nil, lastCounter: UInt32? = 0
    ) throws -> Verdict<Assertion> {
        try AssertionVerifier(appID: Self.appID).verify(
            bytes, publicKey: publicKey ?? device.publicKey, clientData: .bytes(Self.request), lastCounter: lastCounter)
    }

    private func expectRefusal(of verdict: Verdict<Assertion>, _ step: VerificationStep, _ reason: RefusalReason) {
        guard case .refused(let failed, let why, let message) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(failed == step, "\(message)")
        #expect(why == reason, "\(message)")
    }
}
