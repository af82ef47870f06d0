public import Lane
public import Messages
public import SQLite

/// `user.erased.v1`, in every partition: from now on nothing of him is taken that is from before, and what names him is to
/// be forgotten.
public struct FollowErasure: MessageHandler {
    /// Keeps the erasure; the service's own alarm does the forgetting.
    public init() {}

    /// Notes it.
    public func apply(
        _ message: UserErased, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<Nothing> {
        try ErasureStore.record(
            .init(time: message.erasedAt, command: message.erasure),
            of: Customer(message.organisation, message.user), in: transaction)
        return .applied
    }
}
