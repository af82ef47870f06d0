/// A text that must not reach a log: printing or interpolating it shows dots.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The secret itself. Reading it is the decision to use it.
    public let revealed: String

    /// Wraps `text`.
    public init(_ text: String) { revealed = text }

    /// Dots, whatever the secret is.
    public var description: String { "•••" }
    /// Dots, whatever the secret is.
    public var debugDescription: String { "•••" }
    /// Nothing, so that `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
