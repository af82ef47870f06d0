internal import Lane
internal import Messages
internal import SQLite
internal import Synchronization

/// `attestation.submit.v1`: enrols a device whose attestation is good.
///
/// It is verified outside of the transaction, by the app's record that was used last; where the app has changed since, or
/// is new here, it is verified once more within.
struct SubmitAttestation: MessageHandler {
    /// A request, and what came of looking at it.
    final class Prepared: Sendable {
        let message: AttestationSubmit
        let use: ChallengeUse
        /// By which the attestation was judged last, and what came of it.
        fileprivate let look: Mutex<(judge: AppAttest, judged: AppAttest.Judged)?>

        fileprivate init(_ message: AttestationSubmit, _ use: ChallengeUse, _ look: (AppAttest, AppAttest.Judged)?) {
            self.message = message
            self.use = use
            self.look = Mutex(look)
        }
    }

    private let apps = AppAttestTable()
    private let measures: DeviceMeasures

    init(measures: DeviceMeasures) { self.measures = measures }

    func prepare(_ message: AttestationSubmit, _ context: MessageContext) throws -> Prepared {
        let use = ChallengeUse(message, at: context.acceptedAt)
        guard let judge = apps.judge(for: message.app, of: message.organisation) else {
            return Prepared(message, use, nil)
        }
        return Prepared(message, use, (judge, try judge.judge(message, at: use.at, cache: apps.chains)))
    }

    func apply(
        _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<DeviceStanding> {
        let message = prepared.message
        var enrolled: Device?
        let verdict = try ChallengeDesk.spend(
            prepared.use, for: message.app, of: message.organisation, context, in: transaction
        ) { app, team in
            switch try finding(on: prepared, for: app, team) {
            case .failure(let refusal): return .refused(refusal)
            case .success(let key):
                guard let device = try enrol(key, prepared, context, in: transaction) else {
                    return .refused(.deviceRevoked)
                }
                enrolled = device
                return .applied(device.record.standing)
            }
        }
        if let enrolled { try outgoing.publish(DeviceAttested(device: enrolled.record.standing)) }
        return verdict
    }

    func committed(_ prepared: Prepared) {
        guard let (judge, judged) = prepared.look.withLock({ $0 }) else { return }
        apps.put(judge, for: prepared.message.app, of: prepared.message.organisation)
        judged.remember(in: apps.chains)
        measures.count(judged.finding)
    }

    private func finding(
        on prepared: Prepared, for app: AppRecord, _ team: TeamID
    ) throws -> Result<AttestedKey, Refusal> {
        try prepared.look.withLock { look in
            if let (_, judged) = look, judged.version == app.version { return judged.finding }
            let judge = try AppAttest(app, team: team)
            let judged = try judge.judge(prepared.message, at: prepared.use.at, cache: apps.chains)
            look = (judge, judged)
            return judged.finding
        }
    }

    /// Nil: it was revoked, and stays so.
    private func enrol(
        _ key: AttestedKey, _ prepared: Prepared, _ context: MessageContext, in transaction: borrowing Transaction
    ) throws -> Device? {
        let (organisation, app) = (prepared.message.organisation, prepared.message.app)
        var device = Device(key, of: organisation, app: app, at: prepared.use.at)
        if let known = try DeviceStore.device(key.keyID, of: organisation, app: app, in: transaction) {
            guard known.record.standing.revokedAt == nil else { return nil }
            let version = try RegistryVersion.current(in: transaction) + 1
            device = known
            if device.attestAgain(key, at: prepared.use.at, version: version) {
                try RegistryVersion.raise(to: version, in: transaction)
            }
        }
        try DeviceStore.put(device, bucket: context.bucket, in: transaction)
        try DeviceStore.keep(key, of: device.record.standing, bucket: context.bucket, in: transaction)
        return device
    }
}
