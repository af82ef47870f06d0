internal import Lane
internal import Messages
internal import SQLite

/// `assertion.submit.v1`: a device that is enrolled shows that it still has its key.
///
/// Verified within the transaction: it takes one signature, by a key that is in the store. Devices ask so once in the life
/// of a token.
struct SubmitAssertion: MessageHandler {
    func apply(
        _ message: AssertionSubmit, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<DeviceStanding> {
        let use = ChallengeUse(message, at: context.acceptedAt)
        return try ChallengeDesk.spend(
            use, for: message.app, of: message.organisation, context, in: transaction
        ) { app, team in
            guard let keyID = message.keyID.digest.map(DeviceKeyID.init(digest:)),
                var device = try DeviceStore.device(
                    keyID, of: message.organisation, app: message.app, in: transaction)
            else { return .refused(.deviceUnknown) }
            guard device.record.standing.revokedAt == nil else { return .refused(.tokenRevoked) }
            switch try AssertionJudge.judge(message, by: device, for: app, team) {
            case .failure(let refusal): return .refused(refusal)
            case .success(let counter):
                device.assert(counter: counter, at: use.at)
                try DeviceStore.put(device, bucket: context.bucket, in: transaction)
                return .applied(device.record.standing)
            }
        }
    }
}
