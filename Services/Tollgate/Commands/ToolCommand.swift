/// One thing that an operator can ask for.
protocol ToolCommand: Sendable {
    /// What can be said to it.
    static var layout: CommandLayout { get }
    /// Does it.
    ///
    /// - Throws: ``ToolFailure``, ``UsageError``, `SettingsError`; anything else is a failure without advice.
    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output
}

/// What the commands find around them.
package struct Surroundings: Sendable {
    /// The process's environment.
    package let environment: [String: String]

    /// - Parameter environment: of the process, or a test's.
    package init(environment: [String: String]) { self.environment = environment }
}
