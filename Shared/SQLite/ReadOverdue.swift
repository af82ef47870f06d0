/// A read was stopped because its time was up.
public struct ReadOverdue: Error, Sendable, CustomStringConvertible {
    /// What happened.
    public var description: String { "The read was stopped: its time was up" }
}
