package import Messages

/// How far a partition has come with telling everything again.
package struct Retelling: Hashable, Sendable {
    package var beganAt: Timestamp
    /// The greatest number when it began.
    package var through: Int64
    /// The number up to which it has come.
    package var after: Int64

    package init(beganAt: Timestamp, through: Int64, after: Int64) {
        self.beganAt = beganAt
        self.through = through
        self.after = after
    }

    /// When the next portion is due, or, where this round is done, the next round: as many links in every part of the
    /// interval.
    package func due(every interval: Duration, portion: Int64) -> Timestamp {
        guard after < through else { return beganAt + interval }
        let share = Double(min(after + portion, through)) / Double(through)
        return beganAt + interval * share
    }

    /// Goes on at the same pace where it comes late: what a day's absence has left is not made up for at once.
    package mutating func shift(to now: Timestamp, every interval: Duration, portion: Int64) {
        let late = now.millisecondsSince1970 - due(every: interval, portion: portion).millisecondsSince1970
        if late > Self.slack { beganAt = beganAt + .milliseconds(late) }
    }

    /// In milliseconds: alarms are looked at twice a second.
    private static let slack: Int64 = 10_000
}
