internal import Messages
internal import Messaging

/// Asks at the end about people of whom it is known what has to be so: what was not seen as it happened is found now,
/// or is lost.
struct LoadInquiry: Sendable {
    let conversation: Conversation
    let place: LoadWorld.Place
    let numbers: LoadNumbers
    let ledger: LoadLedger
    let start: LoadStart

    /// How many questions are on their way at once.
    private static let width = 32

    /// What came out.
    struct Outcome: Sendable, Hashable, Encodable {
        var asked = 0
        /// Things that people said of themselves, which were accepted, and which nobody knows.
        var unknown = 0
        /// What is known of them is not what was sent.
        var wrong = 0
        /// Nobody answered.
        var silent = 0
        /// Nobody was asked about them, and nothing else tells of them.
        var unheard = 0
        /// Some of those about whom something is amiss.
        var examples: [String] = []
    }

    /// - Parameter isOver: whoever has not been asked by then is not.
    func ask(about most: Int, until isOver: () -> Bool) async -> Outcome {
        await withTaskGroup(of: (LoadLedger.Witness, Answer).self) { group in
            var outcome = Outcome()
            let witnesses = ledger.witnesses(most)
            outcome.unheard = witnesses.unheard
            for (index, witness) in witnesses.asked.enumerated() {
                guard !isOver() else {
                    outcome.unheard += witnesses.asked.count - index
                    break
                }
                if index >= Self.width, let answer = await group.next() { outcome.add(answer.1, of: user(answer.0)) }
                group.addTask { (witness, await verdict(on: witness)) }
            }
            for await answer in group { outcome.add(answer.1, of: user(answer.0)) }
            return outcome
        }
    }

    fileprivate struct Answer: Sendable {
        enum Verdict: Sendable {
            case good, wrong, silent
        }
        var verdict = Verdict.good
        /// How much of what he said of himself is missing.
        var unknown = 0
    }

    private func user(_ witness: LoadLedger.Witness) -> String { "load-\(place.run)-\(witness.person)" }

    private func verdict(on witness: LoadLedger.Witness) async -> Answer {
        let get = UserGet(
            organisation: place.organisation, app: place.app, user: AppUserID(rawValue: user(witness)))
        let view: UserView
        do {
            view = try await conversation.ask(get)
        } catch {
            guard error.status == .failed else { return Answer(verdict: .silent) }
            // A refusal is an answer: he is not known. Whose purchase is missing is counted as that.
            return Answer(unknown: witness.said.nonzeroBitCount)
        }
        let missing = witness.said & ~LoadKind.sayings(in: view.customer.attributes)
        return Answer(verdict: verdict(on: witness, view), unknown: missing.nonzeroBitCount)
    }

    private func verdict(on witness: LoadLedger.Witness, _ view: UserView) -> Answer.Verdict {
        let original = numbers.original(of: witness.person)
        let active = view.entitlements.filter(\.isActive).compactMap(\.transaction)
            .compactMap { numbers.origin(of: $0) }.first { $0.person == witness.person }
        if let active { ledger.see(witness.person, period: active.period, at: start.elapsed) }
        // Of a purchase that the store has not signed the ledger knows that it unlocks nothing.
        guard let period = witness.period else { return .good }
        let isHeldOnce = view.transactions.filter { $0.originalTransactionID == original }.count == 1
        // What is not there at all is lost, and counted as that.
        guard let active, isHeldOnce else { return witness.isOpen ? .good : .wrong }
        return active.period >= period || witness.isOpen ? .good : .wrong
    }
}

extension LoadInquiry.Outcome {
    fileprivate mutating func add(_ answer: LoadInquiry.Answer, of user: String) {
        asked += 1
        unknown += answer.unknown
        wrong += answer.verdict == .wrong ? 1 : 0
        silent += answer.verdict == .silent ? 1 : 0
        var words = answer.verdict == .good ? [] : ["\(answer.verdict)"]
        if answer.unknown > 0 { words.append("unknown is what he said of himself \(answer.unknown) times") }
        if !words.isEmpty, examples.count < 10 { examples.append("\(user): \(words.joined(separator: ", "))") }
    }
}
