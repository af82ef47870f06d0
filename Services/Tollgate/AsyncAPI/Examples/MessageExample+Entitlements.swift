internal import Messages

extension MessageExample {
    static let entitlements = [
        MessageExample(
            UserIdentify(
                organisation: organisation, app: app, user: user, platform: "ios", osVersion: "26.2",
                attributes: ["plan": .text("pro")], trust: .unverified),
            "Who a user is: creates him, merges his attributes, moves his last-seen forward."),
        MessageExample(
            LinkClaim(
                organisation: organisation, app: app, originalTransactionID: chain, user: user, rank: .unverified),
            """
            This transaction belongs to this user, says somebody. accepted_at with the message id is the claim's version; \
            a rank above 0 is believed only from edge and validator.
            """),
        MessageExample(
            MappingSet(organisation: organisation, app: app, product: product, entitlements: [entitlement]),
            "Which entitlements a product unlocks in an app; an empty list takes the product out."),
        MessageExample(MappingList(organisation: organisation, app: app), "Asks which products an app maps."),
        MessageExample(
            MappingChanged(
                mapping: ProductMapping(
                    organisation: organisation, app: app, product: product, entitlements: [entitlement], version: 1,
                    changedAt: time)),
            "A mapping has changed."),
        MessageExample(
            LinkChanged(
                organisation: organisation, realm: .stores, originalTransactionID: chain, user: user, isHeld: true,
                rank: .verified, revision: 1, since: time),
            "A user has got or lost a transaction, or did not get it; one for each user concerned."),
        MessageExample(
            SubscriptionChanged(
                organisation: organisation, realm: .stores, environment: .production, originalTransactionID: chain,
                user: user, rank: .verified, revision: 1, transactions: [transaction]),
            "What a user's transaction amounts to now: the whole of it, after every change."),
        MessageExample(
            EntitlementChanged(
                organisation: organisation, app: app, user: user,
                entitlement: EntitlementState(
                    entitlement: entitlement, environment: .production, isActive: true, since: time, until: later,
                    transaction: transaction.id, product: product, trust: .verified, isTest: false)),
            "What a user may use has changed, because something happened or because time passed an expiry."),
        MessageExample(
            UserGet(organisation: organisation, app: app, user: user), "Asks for a user as one app sees him."),
        MessageExample(
            UserDocumentGet(
                organisation: organisation, app: app, user: user, environment: .production,
                customerID: "3c446a41-fffa-56f4-ab11-e275212260d2"),
            "Asks for a user as the server API tells of him."),
        MessageExample(
            UserWhy(organisation: organisation, app: app, user: user, entitlement: entitlement),
            "Asks why a user has an entitlement, or has not, at any time and as known at any time."),
        MessageExample(
            ChainHistory(organisation: organisation, realm: .stores, originalTransactionID: chain),
            "Asks for all that is known of one chain: who claimed it, whose it was, what stores signed about it."),
        MessageExample(
            HoldingsPage(partition: 0), "Asks a partition which transactions its users hold, a page at a time."),
        MessageExample(
            LinkUndo(
                organisation: organisation, app: app, originalTransactionID: chain, user: user, holder: nil,
                by: "operator"),
            "An operator gives a chain back to somebody who had it, or claimed it, and pins it there."),
        MessageExample(
            LinkUnpin(organisation: organisation, app: app, originalTransactionID: chain, by: "operator"),
            "An operator lifts a pin: the chain stays whose it is until a claim moves it."),
        MessageExample(
            LinksContested(partition: 0, since: time),
            "Asks a partition which chains more than one user has claimed lately, a page at a time."),
        MessageExample(
            LinksResend(partition: 0, by: "operator", run: MessageID(rawValue: "one-run")),
            "Tells users again what a partition has told them of their links, under the revisions of then."),
        MessageExample(
            UserErase(organisation: organisation, user: user, by: "operator"),
            "Forgets a user: all that was said of him up to now, and whose his chains were."),
        MessageExample(
            UserErased(
                organisation: organisation, user: user, erasedAt: time, erasure: MessageID(rawValue: "the-command")),
            "A user is to be forgotten wherever something names him."),
        MessageExample(
            UserTraces(partition: 0, organisation: organisation, user: user),
            "Asks a partition where it names a user."),
        MessageExample(
            UserExport(organisation: organisation, user: user),
            "Asks for all that a user's partition keeps of him, a page at a time."),
        MessageExample(
            CustomerPurchase(
                organisation: organisation, app: app, realm: .stores, environment: .production, user: user,
                transaction: transaction.id, originalTransaction: chain, product: product, purchasedAt: time,
                chainBeganAt: time, rank: .verified, linkedAt: time, isHeld: true, revision: 1),
            "What a user has bought, by what stores signed; one for each transaction, and again when it changes."),
        MessageExample(
            CustomerRefund(
                organisation: organisation, app: app, realm: .stores, environment: .production, user: user,
                transaction: transaction.id, originalTransaction: chain, isRefunded: true, refundedAt: later,
                revision: 1),
            "A store has paid a user's purchase back, wholly or in part, or has taken that back."),
    ]
}
