internal import Messages

/// The chain that a command is about, as its operand and options name it.
struct ChainSubject: Sendable {
    static let operand = Operand("TRANSACTION", "The original transaction id of the purchase or subscription")
    static let options: [any OptionDescription] = [Subject.organisation, Subject.app]

    let organisation: OrganisationID
    let app: AppID
    let original: OriginalTransactionID

    init(from arguments: Arguments) throws {
        organisation = try arguments.value(of: Subject.organisation)
        app = try arguments.value(of: Subject.app)
        original = OriginalTransactionID(rawValue: arguments.operand(0))
        guard original.isAcceptable else { throw arguments.wrong("TRANSACTION has 1 to 256 bytes, none of them zero") }
    }

    /// What its partition knows of it.
    ///
    /// - Throws: ``ToolFailure``, also for a chain of which nothing is known.
    func history(knownAt time: Timestamp? = nil, _ conversation: Conversation) async throws -> ChainHistoryView {
        let record = try await conversation.app(app, of: organisation)
        let history = try await conversation.ask(
            ChainHistory(
                organisation: organisation, realm: record.realm, originalTransactionID: original, knownAt: time))
        guard history != ChainHistoryView() else {
            throw ToolFailure(
                .failed, "nothing is known of \(original)".onOneLine,
                advice: "is it the original transaction id? tollgate users show lists those of a user")
        }
        return history
    }
}
