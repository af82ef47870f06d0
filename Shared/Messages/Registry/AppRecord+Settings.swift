extension AppRecord {
    /// The app with the settings that `command` names; what it does not name stays as it is.
    ///
    /// The registry takes from it what no newer command has decided; the tool shows it. The secret for notifications is the
    /// registry's alone: it decides by time which ones are good.
    public func set(by command: AppPut) -> AppRecord {
        var app = self
        app.linkMovePolicy = command.linkMovePolicy ?? linkMovePolicy
        app.unverifiedLinksGrant = command.unverifiedLinksGrant ?? unverifiedLinksGrant
        app.teamID = command.teamID ?? teamID
        app.appleID = command.appleID ?? appleID
        if let keys = command.purchaseKeys { app.purchaseKeys = keys.isEmpty ? nil : keys }
        if let environments = command.attestEnvironments.map(Set.init) {
            // Production alone is what an app has of which nothing is said.
            app.attestEnvironments =
                environments.isEmpty || environments == [.production] ? nil : environments.sorted()
        }
        if let asked = command.limits {
            func limit(_ asked: Int?, _ known: Int?) -> Int? { asked == 0 ? nil : asked ?? known }
            let set = AppLimits(
                attestedPerMinute: limit(asked.attestedPerMinute, limits?.attestedPerMinute),
                devicePerMinute: limit(asked.devicePerMinute, limits?.devicePerMinute),
                addressPerMinute: limit(asked.addressPerMinute, limits?.addressPerMinute),
                usersPerMinute: limit(asked.usersPerMinute, limits?.usersPerMinute))
            app.limits = set == AppLimits() ? nil : set
        }
        return app
    }
}
