extension TimelineEntry {
    /// What happened, for people, without when and without the effect: `transaction 1000-2 of pro.monthly, paid until …`.
    public var sentence: String {
        let chain = chain.map { "chain \($0)" } ?? "a chain"
        let user = user?.rawValue ?? "somebody"
        switch what {
        case .transactionTold:
            return [
                "\(transactionName), bought\(environmentNote)", expiresAt.map { "paid until \($0.rfc3339)" },
                revokedAt.map { "revoked as of \($0.rfc3339)" }, signedAt.map { "as signed \($0.rfc3339)" },
            ].compactMap(\.self).joined(separator: ", ")
        case .transactionWithdrawn:
            let why = grounds.map { ", for \($0)" } ?? ""
            return "\(transactionName): what told of it counts no more\(why)\(environmentNote)"
        case .renewalTold:
            let grace = expiresAt.map { ", and he keeps it until \($0.rfc3339) while the store tries to charge him" }
            let next = willRenew.map { $0 ? "is going to renew\(product.map { " as \($0)" } ?? "")" : "will not renew" }
            return "\(chain) \(next ?? "goes on")\(grace ?? ""), says the store\(environmentNote)"
        case .renewalWithdrawn: return "what was said of the future of \(chain) counts no more\(environmentNote)"
        case .claimMade: return "\(user) claimed \(chain)\(rankNote)"
        case .linkWon: return "\(chain) is \(user)'s\(rankNote)"
        case .linkLost: return "\(chain) is \(user)'s no more"
        case .linkDenied: return "\(user) claimed \(chain) and did not get it"
        case .mappingChanged:
            let unlocks = (entitlements ?? []).map(\.rawValue).joined(separator: ", ")
            return "\(product?.rawValue ?? "a product") unlocks \(unlocks.isEmpty ? "nothing" : unlocks) from now on"
        case .appChanged: return "the settings of \(app?.rawValue ?? "the app") changed"
        case .periodBegan: return "the period of \(transactionName) began"
        case .periodEnded: return "the period of \(transactionName) was over"
        default: return what.rawValue.replacing("_", with: " ")
        }
    }

    /// What it did, for people: `active from here on, until …`, or why nothing; empty where neither is known.
    public var outcome: String {
        let end = until.map { ", until \($0.rfc3339)" } ?? ""
        switch effect {
        case .began?: return "active from here on\(end)"
        case .extended?: return "active for longer\(end.isEmpty ? ", without end" : end)"
        case .shortened?: return "active for a shorter time\(end)"
        case .ended?: return "not active from here on\(reason.map { ": \($0.sentence)" } ?? "")"
        case .otherTimes?: return "changes the past or what is to come, not whether it is active"
        case TimelineEntry.Effect.none?: return reason.map { "no effect: \($0.sentence)" } ?? "no effect"
        case let other?: return other.rawValue.replacing("_", with: " ")
        case nil: return reason?.sentence ?? ""
        }
    }

    private var transactionName: String {
        "transaction \(transaction?.rawValue ?? "?")\(product.map { " of \($0)" } ?? "")"
    }

    private var environmentNote: String {
        guard let environment, environment != .production else { return "" }
        return " (\(environment))"
    }

    private var rankNote: String { rank.map { " (\($0.name))" } ?? "" }
}

extension TimelineEntry.Reason {
    /// For people.
    public var sentence: String { Self.sentences[self] ?? rawValue.replacing("_", with: " ") }

    private static let sentences: [TimelineEntry.Reason: String] = [
        .otherEnvironment: "it happened in another environment than the one asked about",
        .otherRealm: "it belongs to another app's test realm, or to the stores while this is a test app",
        .notHeld: "the chain was not his", .linkUnverified: "nobody had verified the link, and the app wants that",
        .productNotMapped: "the product did not unlock this in the app",
        .consumable: "a consumable is used up, and unlocks nothing", .upgraded: "an upgrade has replaced it",
        .noPeriod: "it was taken back before it began, or nothing says until when it is paid",
        .alreadyCovered: "something else unlocked it already", .overtaken: "newer news had come before it",
        .superseded: "other evidence about it counts in its place",
        .retracted: "the verdict on the artifact has turned",
        .noEvidence: "nothing signed of the chain had come to this user by then",
        .outranked: "the claim was weaker than the one behind the link",
        .anonymous: "a user before log-in takes nothing from one who is known",
        .kept: "the app's policy is that links stay",
        .stillActive: "the app's policy is that links stay while the subscription runs",
        .repeated: "it was his already", .moved: "a newer claim that is as strong took it",
        .pinned: "an operator has decided whose it is",
    ]
}

extension ClaimRank {
    /// As a stable code: `unverified`, `attested`, `verified`, `account_token`, `pinned`.
    public var name: String {
        switch self {
        case .unverified: "unverified"
        case .attested: "attested"
        case .verified: "verified"
        case .accountToken: "account_token"
        case .pinned: "pinned"
        }
    }
}
