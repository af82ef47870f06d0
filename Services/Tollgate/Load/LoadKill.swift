internal import ServiceKit

/// A service that is killed in the middle of a run, and started again as it was.
package struct LoadKill: Sendable, Hashable {
    /// Which; a name of a file with its number.
    package let service: String
    /// When, after the beginning.
    package let time: Duration
    /// How long it stays away.
    package let away: Duration

    /// `receipt-validator@30s`, or with how long it stays away `receipt-validator@30s+5s`; nil for anything else, and for
    /// what is no service of Tollgate.
    package init?(_ text: String, services: [String]) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, services.contains(parts[0]) else { return nil }
        let times = parts[1].split(separator: "+", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(times.count), let time = Duration(settingText: times[0]) else { return nil }
        guard let away = times.count == 2 ? Duration(settingText: times[1]) : .seconds(2) else { return nil }
        service = parts[0]
        self.time = time
        self.away = away
    }
}
