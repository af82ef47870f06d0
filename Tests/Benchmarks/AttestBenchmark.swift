import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import TestSupport

/// `attest` requests a second at 64 connections, each of a phone of its own, against bare verification of the same
/// objects on one thread, whoever signs them seen before.
func attestBenchmark() async throws -> [Finding] {
    let installation = try await Installation.start(on: .ownNodes())
    try await installation.allowDevices()
    // The first one shows the registry who signs.
    for enrolment in try await enrolments(8, at: installation) { try await enrolment.send(to: installation) }
    var (bare, http) = (0.0, 0.0)
    for _ in 0..<3 {
        let enrolments = try await enrolments(1_500, at: installation)
        bare = max(bare, try verificationRate(of: enrolments, by: installation.authority))
        let duration = try await timed {
            try await concurrently(enrolments.count) { try await enrolments[$0].send(to: installation) }
        }
        http = max(http, rate(enrolments.count, in: duration))
    }
    await installation.tearDown()
    return [
        Finding(
            benchmark: "attest", what: "attest requests/s at 64 connections", value: http, limit: bare,
            goal: "≥ 0.6 of bare verification of the same objects", isReached: http >= 0.6 * bare)
    ]
}

/// What a phone sends, made beforehand.
private struct Enrolment: Sendable {
    let phone: SimulatedDevice
    let object: [UInt8]
    let challenge: String
    let body: String

    func send(to installation: Installation) async throws {
        let response = try await installation.send(body, to: "attest", at: installation.edgePort)
        _ = try response.text(of: "deviceToken")
    }
}

private func enrolments(_ count: Int, at installation: Installation) async throws -> [Enrolment] {
    var enrolments: [Enrolment] = []
    for _ in 0..<count {
        let phone = try installation.newPhone()
        let challenge = try await installation.challenge(at: installation.edgePort)
        let object = try phone.attest(
            clientDataHash: Digest.sha256(challenge.utf8), by: installation.authority, at: Date())
        let body = installation.proof("attestation", object, of: phone, challenge)
        enrolments.append(Enrolment(phone: phone, object: object, challenge: challenge, body: body))
    }
    return enrolments
}

/// As often a second as one thread verifies them.
private func verificationRate(of enrolments: [Enrolment], by authority: TestAuthority) throws -> Double {
    let roots = TrustRoots([authority.root], areTest: true)
    let now = Date()
    let cache = ChainCache()
    func verify(_ enrolment: Enrolment) throws -> Verification<VerifiedAttestation> {
        try AttestationVerifier(
            appID: enrolment.phone.appID, environments: [.production], roots: roots, receiptRoots: roots
        ).verify(
            enrolment.object, keyID: enrolment.phone.keyID, clientData: .challenge(enrolment.challenge), at: now,
            cache: cache)
    }
    for chain in try enrolments.first.map(verify)?.chains ?? [] { cache.remember(chain, at: now) }
    let start = ContinuousClock.now
    for enrolment in enrolments {
        guard try verify(enrolment).verdict.isVerified else { throw BenchmarkError() }
    }
    return rate(enrolments.count, in: .now - start)
}
