internal import Messages
internal import StoreArtifacts

/// Judges what enrolled devices prove by their keys.
enum AssertionJudge {
    /// The counter that an assertion shows, or why it is none of the device's.
    ///
    /// - Parameters:
    ///   - device: as it is known: its key, the highest counter that it has shown, and where it was attested.
    ///   - app: as it is set now: an environment that it accepts no more is not made up for by an old attestation.
    /// - Throws: when the check could not be made; no bytes bring that about.
    static func judge(_ message: AssertionSubmit, by device: Device, for app: AppRecord, _ team: TeamID) throws
        -> Result<Int64, Refusal>
    {
        let limit = AssertionSubmit.longestAssertion
        guard let bytes = SentBase64.decode(message.assertion, limit: limit) else { return .failure(.cborMalformed) }
        let verdict = try AssertionVerifier(appID: app.attestID(team)).verify(
            bytes, publicKey: device.publicKey, clientData: .challenge(message.challenge),
            lastCounter: UInt32(clamping: device.record.counter))
        switch verdict {
        case .verified(let assertion):
            guard app.acceptedEnvironments.contains(device.record.standing.environment) else {
                return .failure(.environmentMismatch)
            }
            return .success(Int64(assertion.counter))
        case .refused(let step, _, let detail): return .failure(.assertion(step, detail))
        case .retryable(let reason): return .failure(.assertion(.signature, reason.rawValue))
        }
    }
}

extension Refusal {
    /// An assertion fails at this step.
    static func assertion(_ step: VerificationStep, _ detail: String) -> Refusal {
        let refusal: Refusal =
            switch step {
            case .signature: .signatureInvalid
            case .appID: .appIDMismatch
            case .counter: .counterNotGreater
            default: .cborMalformed
            }
        return refusal.because(detail)
    }
}
