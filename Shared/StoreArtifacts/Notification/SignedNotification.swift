public import JSON

/// A notification whose signature was checked, with those of what it carries.
public struct SignedNotification: Hashable, Sendable {
    /// What it tells.
    public let payload: NotificationPayload
    /// The transaction that it carries.
    public internal(set) var transaction: TransactionPayload?
    /// The renewal information that it carries.
    public internal(set) var renewal: RenewalPayload?
    /// The download that it carries.
    public internal(set) var appTransaction: AppTransactionPayload?

    /// Everything that was signed, as ``SignedPayload/fields`` has it; and under the names of the signed texts that it
    /// carries what is in them.
    public var fields: [String: JSONValue] {
        var fields = payload.fields
        let carried = [
            "signedTransactionInfo": transaction?.fields, "signedRenewalInfo": renewal?.fields,
            "signedAppTransactionInfo": appTransaction?.fields,
        ]
        // Should Apple come to use such a name here itself, what was signed stays.
        for case (let name, let members?) in carried where fields[name] == nil { fields[name] = .object(members) }
        return fields
    }
}
