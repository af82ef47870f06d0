package import Messages
internal import Synchronization

/// How many notifications of each app the validator has refused today, by UTC, as far as this edge has heard, or heard
/// from others when it came.
///
/// Whoever learns the path of an app can send any number of forgeries, and each would be kept. Beyond the limit the edge
/// looks at signatures itself, before it takes anything.
package final class UnverifiableNotifications: Sendable {
    private struct State {
        var day: Int64 = 0
        var counts: [AppName: Int] = [:]

        mutating func turn(to time: Timestamp) {
            let today = time.millisecondsSince1970.dividedDown(by: 86_400_000)
            guard today != day else { return }
            day = today
            counts = [:]
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many are taken unseen, of an app in a day.
    package init(limit: Int) { self.limit = limit }

    /// The validator has refused one.
    package func note(_ app: AppID, of organisation: OrganisationID, at now: Timestamp) {
        state.withLock { state in
            state.turn(to: now)
            state.counts[AppName(app, of: organisation), default: 0] += 1
        }
    }

    /// What this edge has heard of today, for one that has just come: up to `most` apps, those with the most refusals.
    package func today(most: Int, at now: Timestamp) -> [EdgeCounts.Refused] {
        let (day, counts) = state.withLock { state in
            state.turn(to: now)
            return (state.day, state.counts)
        }
        return counts.sorted { $0.value > $1.value }.prefix(most).map { name, count in
            EdgeCounts.Refused(organisation: name.organisation, app: name.app, day: day, count: count)
        }
    }

    /// What another edge has heard of while this one was not there. Both hear of the same refusals: the higher count is
    /// the better one.
    package func learn(_ refused: [EdgeCounts.Refused], at now: Timestamp) {
        state.withLock { state in
            state.turn(to: now)
            for told in refused where told.day == state.day {
                let name = AppName(told.app, of: told.organisation)
                state.counts[name] = max(state.counts[name, default: 0], told.count)
            }
        }
    }

    /// Whether signatures of this app's notifications have to be looked at before they are taken.
    package func areTooMany(for app: AppRecord, at now: Timestamp) -> Bool {
        state.withLock { state in
            state.turn(to: now)
            return state.counts[AppName(app), default: 0] >= limit
        }
    }
}

extension Int64 {
    fileprivate func dividedDown(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
