/// What services keep of a user, in words: they count by the names of their tables.
enum KeptRows {
    private static let words: [String: (one: String, many: String)] = [
        "customers": ("customer record", "customer records"),
        "customer_facts": ("fact said of him", "facts said of him"),
        "holdings": ("transaction", "transactions"), "held_subscriptions": ("subscription", "subscriptions"),
        "held_products": ("product of a transaction", "products of transactions"),
        "holding_history": ("entry of history", "entries of history"),
        "told_entitlements": ("entitlement that was told", "entitlements that were told"),
        "due_changes": ("change of an entitlement to come", "changes of entitlements to come"),
        "told_purchases": ("purchase that was told", "purchases that were told"),
        "untold_purchases": ("purchase still to be told", "purchases still to be told"),
        "claims": ("claim of a transaction", "claims of transactions"),
        "link_history": ("entry of who had a transaction", "entries of who had a transaction"),
        "told_links": ("link that was told", "links that were told"),
        "events": ("event", "events"),
        "waiting_events": ("event whose name is not judged yet", "events whose names are not judged yet"),
        "funnel_exposures": ("paywall seen, for the funnel", "paywalls seen, for the funnel"),
        "funnel_purchases": ("purchase, for the funnel", "purchases, for the funnel"),
        "funnel_users": ("way through a funnel", "ways through a funnel"),
        "funnel_changes": ("funnel to be counted anew", "funnels to be counted anew"),
        "install_users": ("install", "installs"),
        "user_exposures": ("experiment seen on an install", "experiments seen on installs"),
        "exposed_users": ("experiment seen", "experiments seen"), "purchases": ("purchase", "purchases"),
        "purchase_spans": ("span in which a purchase was his", "spans in which purchases were his"),
        "refunds": ("refund", "refunds"),
        "credits": ("purchase that counts for an experiment", "purchases that count for experiments"),
        "outcomes": ("outcome of an experiment", "outcomes of experiments"),
    ]

    /// Nil for nothing. A table of a later release goes by its name.
    static func text(of rows: [String: Int]) -> String? {
        let texts = rows.sorted { $0.key < $1.key }.map { table, count in
            guard let word = words[table] else { return "\(count) in \(table)" }
            return "\(count) \(count == 1 ? word.one : word.many)"
        }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }
}
