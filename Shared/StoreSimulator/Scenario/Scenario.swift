public import FoundationEssentials

/// A life of purchases that a simulated store can tell, and that ends as it says.
///
/// ```swift
/// for scenario in Scenario.all {
///     let story = scenario.story(seed: 7)
///     let texts = try story.events.flatMap(\.documents).map { try $0.signed(by: authority) }
///     // … give them to whom they concern, in any order, and compare with:
///     story.holdings(at: story.end)
/// }
/// ```
public struct Scenario: Sendable {
    /// How it is asked for.
    public let name: String
    /// What happens in it.
    public let summary: String
    private let happens: @Sendable (inout Storyteller) -> Void

    init(_ name: String, _ summary: String, _ happens: @escaping @Sendable (inout Storyteller) -> Void) {
        self.name = name
        self.summary = summary
        self.happens = happens
    }

    /// Every one.
    public static let all = subscriptions + switches + refunds + families + offers + others

    /// The one that has this name.
    public static func named(_ name: String) -> Scenario? { all.first { $0.name == name } }

    /// Tells it.
    ///
    /// The same seed at the same start in the same setting gives the same fields, ids and times to the millisecond;
    /// signatures differ, since ECDSA takes a random number for each.
    ///
    /// - Parameters:
    ///   - seed: Stories of different seeds or scenarios have no id in common.
    ///   - start: When it begins: 2024-01-01 unless given.
    public func story(
        seed: UInt64 = 1, from start: Date = Date(timeIntervalSince1970: 1_704_067_200),
        in setting: ScenarioSetting = ScenarioSetting()
    ) -> Story {
        var teller = Storyteller(name, seed: seed, from: start, in: setting)
        happens(&teller)
        return Story(
            scenario: name, seed: seed, setting: setting, events: teller.events, chapters: teller.chapters)
    }
}

extension Scenario: CustomStringConvertible {
    /// Its name, so that a test that fails says which it was.
    public var description: String { name }
}
