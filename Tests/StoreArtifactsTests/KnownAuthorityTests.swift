import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

/// Certificates below an authority that is known are read by ourselves, those below others by OpenSSL: nobody may notice.
@Suite("Attestations below an authority that is known")
struct KnownAuthorityTests {
    static let now = AttestationVerifierTests.now
    static let appID = AttestationVerifierTests.appID
    static let hash = AttestationVerifierTests.hash
    /// That of the other suite, since its faults speak of it.
    static let authority = AttestationVerifierTests.authority

    let authority: TestAuthority
    let device: SimulatedDevice
    let cache = ChainCache()

    init() throws {
        authority = try #require(Self.authority)
        device = try SimulatedDevice(appID: Self.appID)
        let first = try verify(device.attest(clientDataHash: Self.hash, by: authority, at: Self.now), cache: nil)
        for chain in first.chains { cache.remember(chain, at: Self.now) }
    }

    typealias Fault = AttestationVerifierTests.Fault

    static let certificates = [
        extended("an unknown extension", "1.3.6.1.4.1.1", [0x05, 0x00]),
        extended("an unknown critical extension", "1.3.6.1.4.1.1", isCritical: true, [0x05, 0x00]),
        extended("a critical extension of Apple's", "1.2.840.113635.100.8.9", isCritical: true, [0x05, 0x00]),
        extended("an extension of Apple's with a large number", "1.2.840.113635.100.8.300", [0x05, 0x00]),
        extended("an extension twice", "2.5.29.15", [0x03, 0x02, 0x07, 0x80]),
        extended("two nonces", "1.2.840.113635.100.8.2", [0x30, 0x00]),
        extended("Apple's purposes", "2.5.29.37", [0x30, 0x0B, 0x06, 0x09] + [42, 134, 72, 134, 247, 99, 100, 4, 24]),
        extended("no purpose", "2.5.29.37", [0x30, 0x00]), extended("damaged purposes", "2.5.29.37", [0x30, 0x01]),
        extended("other names", "2.5.29.17", [0x30, 0x03, 0x82, 0x01, 0x61]),
        extended("damaged constraints of names", "2.5.29.30", isCritical: true, [0x30, 0x01]),
        Fault("the root behind them", .chain, .untrustedChain) { design in
            let (authority, root) = (try #require(authority).deviceAuthority, try #require(authority).root)
            design.signer = Signer(key: authority.key, chain: authority.chain + [root])
        },
        Fault("another authority with the same name", .chain, .untrustedChain) { design in
            design.signer = Signer(key: try .generate(.p384), chain: try #require(authority).deviceAuthority.chain)
        },
        Fault("valid from this second on", .chain, .certificateExpired) { $0.validity = now...now + 10 },
        Fault("run out this second", .chain, .certificateExpired) { $0.validity = now - 10...now },
        Fault("valid beyond 2049", .chain, .certificateExpired) { $0.validity = now - 10...now + 1_000_000_000 },
    ]

    private static func extended(
        _ name: String, _ identifier: String, isCritical: Bool = false, _ value: [UInt8]
    ) -> Fault {
        Fault(name, .chain, .untrustedChain) { design in
            design.certificateExtensions = [.init(identifier, isCritical: isCritical, value: value)]
        }
    }

    @Test(
        "Whatever is unusual has the verdict that it has otherwise",
        arguments: AttestationVerifierTests.steps + AttestationVerifierTests.faults + certificates)
    func unusual(fault: Fault) throws {
        try expectSameVerdict(
            on: device.attest(clientDataHash: Self.hash, by: authority, at: Self.now, change: fault.change))
    }

    @Test("Any byte of a certificate changed and signed anew has it, too")
    func signedAnew() async throws {
        let genuine = try SimulatedDeviceCertificate(
            of: device.attest(clientDataHash: Self.hash, by: authority, at: Self.now))
        try await sideBySide(genuine.signed.indices) { index in
            var signed = genuine.signed
            signed[index] ^= [0x01, 0x20, 0x80, 0xFF][index % 4]
            let der = try genuine.with(signed, signedBy: authority.deviceAuthority.key)
            try expectSameVerdict(
                on: device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) { design in
                    design.certificates = [der, try authority.deviceAuthority.certificate.der]
                }, "byte \(index)")
        }
    }

    @Test("Any byte of an attestation changed has it, too")
    func flipped() async throws {
        let genuine = try device.attest(clientDataHash: Self.hash, by: authority, at: Self.now) { design in
            design.receiptBytes = []
        }
        try await sideBySide(genuine.indices) { index in
            var changed = genuine
            changed[index] ^= 1 << UInt8(index % 8)
            try expectSameVerdict(on: changed, "byte \(index)")
        }
    }

    @Test("A device's certificate is a plain one; an authority's, or one with something behind it, is not")
    func plain() throws {
        let genuine = try SimulatedDeviceCertificate(
            of: device.attest(clientDataHash: Self.hash, by: authority, at: Self.now))

        #expect(PlainCertificate(der: genuine.der) != nil)
        #expect(PlainCertificate(der: genuine.der + [0]) == nil)
        #expect(PlainCertificate(der: authority.root.der) == nil)
    }

    private func expectSameVerdict(
        on bytes: [UInt8], _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let slow = try verify(bytes, cache: nil).verdict
        let fast = try verify(bytes, cache: cache).verdict

        #expect(Self.text(of: fast) == Self.text(of: slow), "\(what)", sourceLocation: sourceLocation)
    }

    private static func text(of verdict: Verdict<VerifiedAttestation>) -> String {
        guard case .verified(let verified) = verdict else { return "\(verdict)" }
        return "\(verified.attestation.fields.sorted { $0.key < $1.key }), \(verified.receipt.isVerified)"
    }

    private func verify(_ bytes: [UInt8], cache: ChainCache?) throws -> Verification<VerifiedAttestation> {
        let roots = authority.trustRoots
        return try AttestationVerifier(appID: Self.appID, roots: roots, receiptRoots: roots).verify(
            bytes, keyID: device.keyID, clientData: .hash(Self.hash), at: Self.now, cache: cache)
    }
}

/// The first certificate in an attestation, taken apart to be changed and signed anew.
private struct SimulatedDeviceCertificate {
    let der: [UInt8]
    let signed: [UInt8]
    private let algorithm: [UInt8]

    /// Throws if the attestation is not as the simulator makes them.
    init(of attestation: [UInt8]) throws {
        // Text "x5c", array of two, bytes with a length of two bytes.
        let name = try #require(attestation.firstRange(of: Array("x5c".utf8) + [0x82, 0x59]))
        let lengths = attestation[name.upperBound...].prefix(2)
        der = Array(attestation[name.upperBound...].dropFirst(2).prefix(lengths.reduce(0) { $0 << 8 | Int($1) }))
        // SEQUENCE with a length of two bytes, in it another; what is signed and the algorithm follow one another.
        try #require(der.starts(with: [0x30, 0x82]) && der[4...].starts(with: [0x30, 0x82]))
        signed = Array(der[4...].prefix(4 + Int(der[6]) << 8 + Int(der[7])))
        algorithm = Array(der[(4 + signed.count)...].prefix(12))
    }

    func with(_ signed: [UInt8], signedBy key: PrivateKey) throws -> [UInt8] {
        let signature = [0x00] + (try key.signature(over: signed))
        return DERWriter.sequence(signed + algorithm + [0x03, UInt8(signature.count)] + signature)
    }
}
