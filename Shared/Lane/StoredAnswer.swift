internal import Messages
internal import Messaging

/// The answer to a message as it is stored beside its id, and sent to whoever asked; repeats get the same one.
struct StoredAnswer: Sendable {
    let isRefusal: Bool
    /// Encodes on demand: most messages have nobody waiting.
    let encoded: @Sendable () throws -> [UInt8]

    init<Value: Codable & Sendable>(_ verdict: Verdict<Value>) {
        switch verdict {
        case .applied(let value):
            isRefusal = false
            encoded = { try MessageJSON.encode(Answer.applied(value)) }
        case .refused(let refusal):
            isRefusal = true
            encoded = { try MessageJSON.encode(Answer<Value>.refused(refusal)) }
        }
    }

    private init(failed refusal: Refusal) {
        isRefusal = false
        encoded = { try MessageJSON.encode(Answer<Nothing>.failed(refusal)) }
    }

    /// No verdict: why.
    static func failed(_ fault: MessageFault) -> StoredAnswer {
        StoredAnswer(failed: Refusal(fault.reason.rawValue, fault.text))
    }
}
