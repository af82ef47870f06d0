/// When to try to connect, and how long to wait in between.
///
/// While the program has never been connected the broker is most likely starting beside it: it tries often. Later a
/// broker that is away is left in peace more and more.
package struct ReconnectStateMachine {
    package enum Action: Equatable {
        case connect
        case wait(Duration)
    }
    private enum State {
        case starting(failures: Int)
        case connected(failures: Int)
        case reconnecting(failures: Int)
    }
    private var state = State.starting(failures: 0)

    package init() {}

    /// A connection that lives this long is a good one: its end is news, not the next failure of a series.
    package static let stable = Duration.seconds(5)

    /// No longer than a partition waits that has lost its consuming connection: what it takes meanwhile has to get out.
    private static let mostWait = Duration.seconds(5)

    /// A connection is there.
    package mutating func connected() {
        switch state {
        case .starting, .connected: state = .connected(failures: 0)
        case .reconnecting(let failures): state = .connected(failures: failures)
        }
    }

    /// A connection could not be made, or ended after `lifetime`.
    package mutating func failed(after lifetime: Duration = .zero) -> Action {
        switch state {
        case .starting(let failures):
            state = .starting(failures: failures + 1)
            return .wait(min(.milliseconds(500), Self.delay(failures)))
        case .connected(let failures):
            if lifetime >= Self.stable {
                state = .reconnecting(failures: 0)
                return .connect
            }
            state = .reconnecting(failures: failures + 1)
            return .wait(min(Self.mostWait, Self.delay(failures)))
        case .reconnecting(let failures):
            state = .reconnecting(failures: failures + 1)
            return .wait(min(Self.mostWait, Self.delay(failures)))
        }
    }

    /// 50 ms, doubled with each failure.
    private static func delay(_ failures: Int) -> Duration { .milliseconds(50) * (1 << min(failures, 10)) }
}
