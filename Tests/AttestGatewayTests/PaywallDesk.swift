import AttestGateway
import Messages
import Synchronization

/// Answers what a paywall offers, as it is told, and keeps what it was asked.
final class PaywallDesk: Sendable {
    private let state: Mutex<(questions: [PaywallResolve], answer: Answer<PaywallOffer>?)>

    /// - Parameter answer: nil: there is none.
    init(_ answer: Answer<PaywallOffer>? = .applied(PaywallDesk.offer)) { state = Mutex(([], answer)) }

    var questions: [PaywallResolve] { state.withLock { $0.questions } }

    /// From now on.
    func answer(_ answer: Answer<PaywallOffer>?) { state.withLock { $0.answer = answer } }

    var ask: Ask<PaywallResolve> {
        { [self] question, _ in
            let answer = state.withLock { state in
                state.questions.append(question)
                return state.answer
            }
            guard let answer else { throw Asker.NoAnswer() }
            return answer
        }
    }

    /// Two products, no experiment.
    static let offer = PaywallOffer(
        entitlement: EntitlementID(rawValue: "pro"),
        skus: [
            PaywallSKU(product: ProductID(rawValue: "com.example.tunes.pro.annual"), kind: .subscription),
            PaywallSKU(product: ProductID(rawValue: "com.example.tunes.credits"), kind: .iap),
        ], ttlSeconds: 3600)
}
