/// A long-running part of a program: it does everything inside `run()`, and cancelling that task is how it stops.
///
/// `run()` returns when it was cancelled and has put its things in order (a lane acknowledges what it finished, a
/// server answers what it accepted), and throws when it cannot go on.
public protocol Service: Sendable {
    /// Works until cancelled.
    func run() async throws
}
