/// The text of one statement.
///
/// A literal in the code is one: `transaction.run("DELETE FROM links WHERE bucket = ?", 7)`. Interpolating into such a
/// literal does not compile, so nothing from outside can become part of a statement by accident.
public struct SQL: ExpressibleByStringLiteral, Sendable {
    enum Text {
        /// Prepared statements are found again by the literal's address, without reading it.
        case literal(StaticString)
        case composed(String)
    }
    let text: Text

    /// The literal's text.
    public init(stringLiteral value: StaticString) { text = .literal(value) }

    /// A statement put together at run time, from parts that the program itself wrote: never from outside text.
    ///
    /// Its prepared form is kept like a literal's, so the number of different texts should be small.
    public init(composed text: String) { self.text = .composed(text) }
}

extension SQL: CustomStringConvertible {
    /// The statement, with its placeholders.
    public var description: String {
        switch text {
        case .literal(let literal): literal.description
        case .composed(let text): text
        }
    }
}
