package import Messages

/// Every version of an app's settings, and of what its products unlock, that was known at one moment.
package struct ConfigurationHistory: Sendable {
    /// Something with the time at which it became known.
    package typealias Known<Value> = (value: Value, knownAt: Timestamp)

    private let apps: [Known<AppRecord>]
    private let mappings: [Known<ProductMapping>]

    package init(apps: [Known<AppRecord>], mappings: [Known<ProductMapping>]) {
        self.apps = apps.sorted { $0.value.version < $1.value.version }
        self.mappings = mappings.sorted { $0.value.version < $1.value.version }
    }

    /// The app as it was at first.
    package var firstApp: AppRecord? { apps.first?.value }

    /// The app as it was at `time`: its highest version of then. Before it was connected its first one stands in.
    package func app(at time: Timestamp) -> AppRecord? {
        apps.last { $0.value.changedAt <= time }?.value ?? firstApp
    }

    /// What each product unlocked at `time`: before a product was mapped, nothing.
    package func mapping(at time: Timestamp) -> [ProductID: [EntitlementID]] {
        var mapping: [ProductID: [EntitlementID]] = [:]
        for known in mappings where known.value.changedAt <= time {
            mapping[known.value.product] = known.value.entitlements
        }
        return mapping
    }

    /// All of it as it became known.
    package var news: [News] {
        apps.map { News(.app($0.value), of: nil, knownAt: $0.knownAt) }
            + mappings.map { News(.mapping($0.value), of: nil, knownAt: $0.knownAt) }
    }
}
