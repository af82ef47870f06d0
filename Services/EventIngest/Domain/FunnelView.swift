package import Messages

/// By whose word users are counted: one question asks for one of them, one row of a user may answer several.
package struct FunnelView: OptionSet, Hashable, Sendable {
    /// As it is stored.
    package let rawValue: Int
    /// From the store.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Everybody's; where attested callers and others have told of the same, that of the attested ones.
    package static let all = FunnelView(rawValue: 1)
    /// That of attested callers alone.
    package static let attested = FunnelView(rawValue: 2)
    /// That of other callers alone.
    package static let unverified = FunnelView(rawValue: 4)

    /// Which one a question asks for.
    package init(of trust: Trust?) { self = trust.map { $0.isAttested ? .attested : .unverified } ?? .all }
}
