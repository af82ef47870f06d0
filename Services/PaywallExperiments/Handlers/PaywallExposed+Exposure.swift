internal import Lane
internal import Messages
internal import SQLite

extension PaywallExposed {
    /// The exposure of an install that has named `user`.
    init(_ exposure: Exposure, of organisation: OrganisationID, _ user: AppUserID, namedAt: Timestamp) {
        self.init(
            organisation: organisation, app: exposure.field.app, user: user, namedAt: namedAt,
            install: exposure.install, experiment: exposure.field.experiment, variant: exposure.variant,
            epoch: exposure.epoch, environment: exposure.field.environment, trust: exposure.trust,
            exposedAt: exposure.exposedAt)
    }

    /// Tells a user's partition of all that the install has seen in an environment: it has named him for the first time.
    static func publishAll(
        of holder: AssignmentStore.Holder, to named: InstallUserStore.Named, in transaction: borrowing Transaction,
        outgoing: inout Outgoing
    ) throws {
        let install = AppInstall(holder.organisation, holder.app, holder.install)
        for exposure in try ExposureStore.all(of: install, in: holder.environment, transaction) {
            try outgoing.publish(
                PaywallExposed(
                    exposure.told(toAttested: named.isAttested), of: holder.organisation, named.user,
                    namedAt: named.namedAt))
        }
    }
}
