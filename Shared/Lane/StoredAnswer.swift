internal import Messages
internal import Messaging

/// The answer to a message as it is stored beside its id, and sent to whoever asked; repeats get the same one.
struct StoredAnswer: Sendable {
    let isRefusal: Bool
    /// Why the answer is no.
    let refusal: Refusal?
    /// Something newer was known than what the message says.
    let isOvertaken: Bool
    /// Encodes on demand: most messages have nobody waiting.
    let encoded: @Sendable () throws -> [UInt8]

    init<Value: Codable & Sendable>(_ verdict: Verdict<Value>) {
        switch verdict {
        case .applied(let value), .overtaken(let value):
            isRefusal = false
            refusal = nil
            isOvertaken = if case .overtaken = verdict { true } else { false }
            encoded = { try MessageJSON.encode(Answer.applied(value)) }
        case .refused(let refusal):
            isRefusal = true
            self.refusal = refusal
            isOvertaken = false
            encoded = { try MessageJSON.encode(Answer<Value>.refused(refusal)) }
        }
    }

    private init(failed refusal: Refusal) {
        isRefusal = false
        self.refusal = nil
        isOvertaken = false
        encoded = { try MessageJSON.encode(Answer<Nothing>.failed(refusal)) }
    }

    /// No verdict: why.
    static func failed(_ fault: MessageFault) -> StoredAnswer { StoredAnswer(failed: Refusal(fault)) }

    /// What it means for a replayed letter.
    func outcome(changingAnything hasChanged: Bool) -> ReplayOutcome {
        if isRefusal { return .refused }
        return isOvertaken ? .overtaken : hasChanged ? .applied : .nothingToDo
    }
}
