internal import JSON
internal import Messages

/// Schemas of answers, read off the types that are written.
package enum AnswerSchemas {
    /// Of `GET …/users/{appUserId}`.
    static let user: JSONValue = ["$ref": "#/components/schemas/UserAnswer"]

    /// Of `GET …/entitlements/{entitlement}/why`.
    static let why: JSONValue = ["$ref": "#/components/schemas/WhyAnswer"]

    /// Of `GET …/signposts/names`.
    static let eventNames: JSONValue = ["$ref": "#/components/schemas/EventNamesAnswer"]

    /// Of `GET …/signposts`.
    static let signposts: JSONValue = ["$ref": "#/components/schemas/SignpostsAnswer"]

    /// Of `GET …/funnel`.
    static let funnel: JSONValue = ["$ref": "#/components/schemas/Funnel"]

    /// Those that others refer to, with a sentence for each member that needs one.
    static let named: [String: JSONValue] = {
        let book = SchemaBook()
        // A type of ours that no schema can be made of is a mistake that the first test finds.
        _ = try? book.schema(of: UserAnswer.self)
        _ = try? book.schema(of: WhyAnswer.self)
        _ = try? book.schema(of: EventNamesAnswer.self)
        _ = try? book.schema(of: SignpostsAnswer.self)
        _ = try? book.schema(of: Funnel.self)
        return book.schemas.reduce(into: [:]) { $0[$1.key] = described($1.value, as: $1.key) }
    }()

    private static func described(_ schema: JSONValue, as name: String) -> JSONValue {
        guard case .object(var members) = schema, case .object(let properties) = members["properties"] else {
            return schema
        }
        members["properties"] = .object(
            Dictionary(
                uniqueKeysWithValues: properties.map { member, schema in
                    guard let meaning = meanings["\(name).\(member)"], case .object(var rules) = schema else {
                        return (member, schema)
                    }
                    rules["description"] = .string(meaning)
                    return (member, .object(rules))
                }))
        return .object(members)
    }

    package static let meanings = [
        "UserAnswer.customer": "Who he is.",
        "UserAnswer.transactions": "What is his, by the first transaction of each chain.",
        "UserAnswer.entitlements": "What that unlocks; what ran out is there as not active.",
        "UserAnswer.environment": "The one that was asked about.",
        "UserAnswer.test": "True for test apps, absent for others.",
        "UserAnswer.Customer.id": "What identify answered.",
        "UserAnswer.Customer.trust":
            "How well the newest of attributes and device is founded; while nobody has told any, how well it is that he was named.",
        "UserAnswer.Transaction.transactionId":
            "The newest of the chain, as what follows; absent while nothing signed is known.",
        "UserAnswer.Transaction.priceMilliunits": "In thousandths of the currency's unit.",
        "UserAnswer.Transaction.count": "How many transactions of the chain are known.",
        "UserAnswer.Transaction.trust": "How well it is founded that it is his.",
        "UserAnswer.Transaction.since": "Since when it is his.",
        "EntitlementAnswer.active": "Whether he may use it now.",
        "EntitlementAnswer.since": "Since when, where it is active.",
        "EntitlementAnswer.until":
            "Until when, where it is active and runs out; where it is not, when it ran out.",
        "EntitlementAnswer.transactionId": "The transaction that decides it.",
        "EntitlementAnswer.reason": """
        Why it is active, or is so no longer: paid, trial, offer, grace_period, bought, shared; expired, cancelled, \
        billing_retry, not_charged, price_not_agreed, refunded, no_longer_shared, switched; others may be added.
        """,
        "EntitlementAnswer.willRenew": "Absent where nothing renews, or nothing has told.",
        "EntitlementAnswer.renewsAs": "As which product.",
        "WhyAnswer.state": "The entitlement at that time, by what was known.",
        "WhyAnswer.unlockedByNothing":
            "True where nothing in the app ever unlocked the entitlement: it may be mistyped; else absent.",
        "WhyAnswer.at": "The time that was judged.",
        "WhyAnswer.knownAt": "The state of knowledge by which it was judged.",
        "WhyAnswer.knownSince": "Since when anything is known; later than knownAt: nothing was known then.",
        "WhyAnswer.timeline": "In the order in which it became known.",
        "WhyAnswer.truncated": "True where the oldest part of a long story is left out; else absent.",
        "WhyAnswer.Entry.at": "When it happened.",
        "WhyAnswer.Entry.knownAt": "When it became known.",
        "WhyAnswer.Entry.what": "What it is, as a stable code; later releases may add some.",
        "WhyAnswer.Entry.effect":
            "What it did: began, extended, shortened, ended, other_times, none; absent: the user's side knew nothing of it.",
        "WhyAnswer.Entry.until": "Until when the entitlement was active after it, where it was and runs out.",
        "WhyAnswer.Entry.reason": "Why it did nothing, as a stable code.",
        "WhyAnswer.Entry.text": "All of it, for people.",
        "WhyAnswer.Entry.artifact": "What it was read from: SHA-256 in hexadecimal.",
        "EventNamesAnswer.names": "In the order in which they were first used.",
        "EventNamesAnswer.budget": "How many an app may use.",
        "EventNamesAnswer.Name.since": "When it was first used.",
        "EventNamesAnswer.Name.trust": "By whose word: attested or unverified; absent: not known.",
        "SignpostsAnswer.events": "The newest first, by when they were stored.",
        "SignpostsAnswer.next": "Give it as after to go on; absent where there are no more.",
        "SignpostsAnswer.Event.id": "The app's own id for it.",
        "SignpostsAnswer.Event.at": "When it happened, as far as that is believed.",
        "SignpostsAnswer.Event.sentAt": "When it happened, as the app wrote it.",
        "SignpostsAnswer.Event.acceptedAt": "When it came.",
        "Funnel.trust": "By whose word, where it was asked for.",
        "Funnel.users": "Users in whose funnel anything has happened.",
        "Funnel.stages": "The steps in their order, the paywall, the purchase.",
        "Funnel.refunded": "Of those who have bought something, how many have got back all that they paid.",
        "Funnel.answersTo": "The step whose answers are told.",
        "Funnel.answers": "By answer, most users first; absent unless asked for.",
        "Funnel.Stage.kind": "step, paywall or purchase.",
        "Funnel.Stage.index": "Its declared place.",
        "Funnel.Stage.users": "Users who reached it.",
        "Funnel.Stage.ofAll": "Of all users of the funnel, from 0 to 1.",
        "Funnel.Stage.ofBefore":
            "Of the users who reached the stage before, those who reached this one too; steps of one index are one stage.",
        "Funnel.Answer.value": "What they sent; absent: all other values together.",
        "Funnel.Answer.purchased": "How many of them have bought something.",
        "WhyAnswer.Entry.rank": "How strong the claim behind it is.",
    ]

    /// Of `POST /api/v1/verify`, as `tollgate verify --json` prints it.
    static let report: JSONValue = TextSchema.object(
        [
            "kind": ["type": "string", "description": "What it is."],
            "verdict": ["type": "string", "enum": ["verified", "refused", "retryable"]],
            "step": ["type": ["string", "null"], "description": "The first check that failed."],
            "reason": ["type": ["string", "null"], "description": "Why, as a stable code."],
            "message": ["type": "string", "description": "The same for people."],
            "environment": ["type": ["string", "null"], "description": "Where it was bought, or made."],
            "trust": ["type": ["string", "null"], "description": "Whose root it leads to."],
            "checks": [
                "type": "array",
                "items": TextSchema.object(
                    ["name": ["type": "string"], "result": ["type": "string"]], required: ["name", "result"]),
            ],
            "fields": ["type": ["object", "null"], "description": "All that it says, by the store's names."],
        ], required: ["kind", "verdict"])
}
