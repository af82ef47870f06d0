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

    /// Everything that was signed, as ``SignedPayload/fields`` has it; and beside `signedTransactionInfo`,
    /// `signedRenewalInfo` and `signedAppTransactionInfo` what is in them: `transactionInfo`, `renewalInfo`,
    /// `appTransactionInfo`.
    public var fields: [String: JSONValue] {
        var fields = payload.fields
        guard let shape = payload.subject?.shape.rawValue, case .object(var subject) = fields[shape] else {
            return fields
        }
        let inner = [
            "transactionInfo": transaction?.fields, "renewalInfo": renewal?.fields,
            "appTransactionInfo": appTransaction?.fields,
        ]
        // Should Apple come to use such a name itself, what was signed stays.
        for case (let name, let members?) in inner where subject[name] == nil { subject[name] = .object(members) }
        fields[shape] = .object(subject)
        return fields
    }
}
