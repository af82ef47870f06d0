internal import Crypto
internal import Messages

/// What a device does with a challenge, and when: by the challenge a repeat is known.
struct ChallengeUse: Sendable {
    /// SHA-256 of the challenge's bytes: one challenge, whatever text stands for it.
    let challenge: [UInt8]
    /// SHA-256 of all that was sent with it.
    let request: [UInt8]
    let text: String
    let expiresAt: Timestamp
    /// When the edge took the request.
    let at: Timestamp

    /// - Parameters:
    ///   - kind: of the message that brings it.
    ///   - fields: all that the device has sent, and for whom.
    init(_ text: String, expiring: Timestamp, at time: Timestamp, kind: MessageKind, fields: [String]) {
        self.text = text
        challenge = Digest.sha256(Base64.url.decode(text.utf8) ?? Array(text.utf8))
        // Each with its length before it: no two lists of fields are the same bytes.
        let parts = [kind.rawValue, text] + fields
        request = Digest.sha256(Array(parts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
        expiresAt = expiring
        at = time
    }

    /// A challenge that is known to be spent.
    struct Spent: Sendable, Equatable {
        /// By which request.
        let request: [UInt8]
        let at: Timestamp
        /// What was answered, as it travels.
        let outcome: [UInt8]
    }

    /// Whether the challenge is there to be used.
    enum Standing: Sendable, Equatable {
        case good
        /// The same request again: it was answered this way.
        case repeated([UInt8])
        case refused(Refusal)
    }

    /// - Parameters:
    ///   - spent: how it was spent; nil: it was not, as far as anybody remembers.
    ///   - now: by the registry's own clock, which tells what it has forgotten.
    func standing(spent: Spent?, now: Timestamp) -> Standing {
        if let spent, spent.request == request, at < spent.at + AttestationSubmit.repeatable {
            return .repeated(spent.outcome)
        }
        guard at < expiresAt, now < forgottenAt else { return .refused(.challengeExpired) }
        return spent == nil ? .good : .refused(.challengeUsed)
    }

    /// From then on nobody need remember that it is spent: it has expired, and no answer is repeated any more.
    var forgottenAt: Timestamp { expiresAt + AttestationSubmit.repeatable }
}

extension ChallengeUse {
    init(_ message: AttestationSubmit, at time: Timestamp) {
        self.init(
            message.challenge, expiring: message.challengeExpiresAt, at: time, kind: AttestationSubmit.kind,
            fields: [
                message.organisation.rawValue, message.app.rawValue, message.keyID.rawValue, message.attestation,
            ])
    }

    init(_ message: AssertionSubmit, at time: Timestamp) {
        self.init(
            message.challenge, expiring: message.challengeExpiresAt, at: time, kind: AssertionSubmit.kind,
            fields: [message.organisation.rawValue, message.app.rawValue, message.keyID.rawValue, message.assertion])
    }
}
