/// Asks again and again until `condition` holds; for what only another process can tell.
///
/// - Returns: whether it came to hold before `limit`.
public func eventually(
    within limit: Duration = .seconds(20), every pause: Duration = .milliseconds(20),
    isolation: isolated (any Actor)? = #isolation,
    _ condition: () async throws -> Bool
) async rethrows -> Bool {
    let deadline = ContinuousClock.now + limit
    while true {
        if try await condition() { return true }
        if ContinuousClock.now >= deadline { return false }
        // Another process announces nothing; within one, tests await the event itself.
        try? await Task.sleep(for: pause)
    }
}
