internal import Lane
internal import Messages
internal import SQLite

/// Finds out for which exposures a purchase counts, and tells the partitions of their installs what is news to them.
struct Crediting {
    let id: PurchaseStore.ID
    let now: Timestamp

    /// In all that its user has been exposed to.
    func settle(_ transaction: borrowing Transaction, outgoing: inout Outgoing) throws {
        let fields = try UserExposureStore.fields(of: id.customer, id.environment, in: transaction)
        try settle(in: fields, transaction, outgoing: &outgoing)
    }

    /// In these.
    func settle(
        in fields: [Exposure.Field], _ transaction: borrowing Transaction, outgoing: inout Outgoing
    ) throws {
        guard let purchase = try PurchaseStore.purchase(id, in: transaction) else { return }
        for field in fields { try settle(purchase, in: field, transaction, outgoing: &outgoing) }
    }

    private func settle(
        _ purchase: Purchase, in field: Exposure.Field, _ transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws {
        var due: [InstallID: UserExposureStore.Row] = [:]
        if purchase.counts, purchase.isOf(field.app) {
            // Each for itself: traffic that nobody has attested takes nothing away from what is attested.
            for trust in [Trust.attested, .unverified] {
                let last = try UserExposureStore.last(
                    of: id.customer, field, trust, until: purchase.chainBeganAt, in: transaction)
                if let last { due[last.exposure.install] = last }
            }
        }
        let told = try CreditStore.told(of: id, in: field, with: due.keys, in: transaction)
        for install in Set(told.keys).union(due.keys).sorted() {
            let known = told[install]
            let credited = due[install].map { purchase.credit(by: $0.exposure.trust) }
            guard credited != known?.purchase else { continue }
            let news = CreditStore.Told(
                // At least the time, so that it goes on growing where an erasure has taken what was told.
                namedAt: due[install]?.namedAt ?? known?.namedAt ?? now,
                revision: max((known?.revision ?? 0) + 1, now.millisecondsSince1970), purchase: credited)
            try outgoing.send(credit(install, news, field))
            try CreditStore.save(news, of: id, in: field, install, in: transaction)
        }
    }

    private func credit(
        _ install: InstallID, _ news: CreditStore.Told, _ field: Exposure.Field
    ) -> OutcomeCredit {
        OutcomeCredit(
            organisation: id.customer.organisation, app: field.app, install: install, experiment: field.experiment,
            environment: field.environment, user: id.customer.user, namedAt: news.namedAt, realm: id.realm,
            transaction: id.transaction, purchase: news.purchase, revision: news.revision)
    }
}
