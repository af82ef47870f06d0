package import Lane
package import Messages
package import SQLite

/// `links.resend.v1`: tells users again what they were told, a page at a time.
package struct ResendLinks: MessageHandler {
    static let mostAtOnce = 500

    package init() {}

    package func apply(
        _ message: LinksResend, _ context: MessageContext, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws -> Verdict<LinksResend.Value> {
        let limit = max(1, min(message.limit, Self.mostAtOnce))
        let after = message.after ?? 0
        let page: [ToldLinkStore.Told]
        if let original = message.originalTransactionID {
            guard let organisation = message.organisation, let app = message.app,
                let record = try AppStore.current(app, of: organisation, in: transaction)
            else { return .refused(.appUnknown) }
            page = try ToldLinkStore.page(
                of: ChainID(organisation, record.realm, original), after: after, limit: limit, in: transaction)
        } else {
            page = try ToldLinkStore.page(after: after, limit: limit, in: transaction)
        }
        var sent = 0
        for told in page where message.organisation.map({ $0 == told.chain.organisation }) ?? true {
            // Of one chain the app only says in which realm it is.
            if message.originalTransactionID == nil, let app = message.app,
                try !ClaimStore.wasMade(through: app, to: told.chain, in: transaction)
            {
                continue
            }
            try ChainNews(chain: told.chain).tellAgain(told, in: transaction, outgoing: &outgoing)
            sent += 1
        }
        try AuditTrail.note(
            .resendLinks, by: message.by, count: sent, run: message.run, bucket: context.bucket, at: context.now,
            in: transaction)
        return .applied(
            LinksResend.Value(looked: page.count, sent: sent, next: page.count < limit ? nil : page.last?.number))
    }
}
