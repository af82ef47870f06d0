import AttestGateway
import Messages
import Synchronization

/// A registry that verifies devices as it is told, and keeps what it was asked.
final class Registrar: Sendable {
    private struct State {
        var attestations: [AttestationSubmit] = []
        var assertions: [AssertionSubmit] = []
        var answer: Answer<DeviceStanding>?
    }
    private let state: Mutex<State>

    /// - Parameter answer: nil: there is none.
    init(_ answer: Answer<DeviceStanding>? = .applied(Registrar.standing())) {
        state = Mutex(State(answer: answer))
    }

    var attestations: [AttestationSubmit] { state.withLock { $0.attestations } }
    var assertions: [AssertionSubmit] { state.withLock { $0.assertions } }

    /// From now on.
    func answer(_ answer: Answer<DeviceStanding>?) { state.withLock { $0.answer = answer } }

    var attest: Ask<AttestationSubmit> {
        { [self] question, _ in try answer { $0.attestations.append(question) } }
    }

    var assert: Ask<AssertionSubmit> {
        { [self] question, _ in try answer { $0.assertions.append(question) } }
    }

    private func answer(_ keep: (inout State) -> Void) throws -> Answer<DeviceStanding> {
        let answer = state.withLock { state in
            keep(&state)
            return state.answer
        }
        guard let answer else { throw Asker.NoAnswer() }
        return answer
    }

    /// Of the device that most tests speak of.
    static func standing(
        of device: AttestedDevice = DeviceTokenTests.device, _ environment: AttestEnvironment = .production,
        generation: Int = 1, least: Int = 1, revokedAt: Timestamp? = nil, version: Int = 0
    ) -> DeviceStanding {
        DeviceStanding(
            organisation: device.organisation, app: device.app, keyID: device.keyID, environment: environment,
            generation: generation, leastGeneration: least, revokedAt: revokedAt, changedAt: .epoch, version: version)
    }
}

extension EdgeRig {
    /// With `registrar` as the part of the registry that knows devices.
    static func with(
        _ registrar: Registrar, _ environment: [String: String] = [:], paywalls: PaywallDesk = PaywallDesk(),
        apps: [AppRecord] = [.tunes], askRegistry: Ask<RegistrySnapshot>? = nil,
        _ body: @Sendable (EdgeRig) async throws -> Void
    ) async throws {
        try await with(
            environment, apps: apps, askRegistry: askRegistry, askForAttestation: registrar.attest,
            askForAssertion: registrar.assert, askPaywall: paywalls.ask, body)
    }

    /// A challenge that is good until five minutes after `time`.
    static func challenge(at time: Timestamp = .epoch, keys: TokenKeys = .test(1)) -> String {
        Challenge.make(random: ChallengeTests.random, at: time, sealedWith: keys)
    }

    /// A token, by default of the device that most tests speak of.
    static func token(
        of device: AttestedDevice = DeviceTokenTests.device, isDevelopment: Bool = false, generation: UInt32 = 1,
        until end: Timestamp = .epoch + .seconds(60), keys: TokenKeys = .test(1)
    ) -> String {
        DeviceToken(device: device, isDevelopment: isDevelopment, generation: generation, expiresAt: end)
            .text(sealedWith: keys)
    }

    /// The members of a body for the route `attest` or `attest/assert`, as JSON.
    static func proof(_ route: String, challenge: String = challenge()) -> [String: String] {
        [
            "keyId": "\"\(DeviceTokenTests.device.keyID)\"",
            route == "attest" ? "attestation" : "assertion": "\"o2Nm\"",
            "challenge": "\"\(challenge)\"", "bundleId": #""com.example.tunes""#,
        ]
    }
}
