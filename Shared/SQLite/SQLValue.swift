/// A value on its way into a statement: one of SQLite's five storage classes.
///
/// Literals are values (`nil`, `7`, `"text"`, `true`); everything else goes through an initialiser, which takes
/// optionals too: `SQLValue(expiresAt)`.
public enum SQLValue: Hashable, Sendable {
    /// SQL's `NULL`.
    case null
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A double. SQLite stores NaN as `NULL`.
    case real(Double)
    /// Text, stored as UTF-8.
    case text(String)
    /// Bytes as they are.
    case blob([UInt8])
}

extension SQLValue {
    /// An integer, or `NULL`.
    public init(_ value: Int?) { self = value.map { .integer(Int64($0)) } ?? .null }

    /// An integer, or `NULL`.
    public init(_ value: Int64?) { self = value.map { .integer($0) } ?? .null }

    /// 1 or 0, or `NULL`.
    public init(_ value: Bool?) { self = value.map { .integer($0 ? 1 : 0) } ?? .null }

    /// A double, or `NULL`.
    public init(_ value: Double?) { self = value.map { .real($0) } ?? .null }

    /// Text, or `NULL`.
    public init(_ value: String?) { self = value.map { .text($0) } ?? .null }

    /// Bytes, or `NULL`.
    public init(_ value: [UInt8]?) { self = value.map { .blob($0) } ?? .null }

    /// The text of an identifier, or `NULL`.
    public init<Identifier: RawRepresentable>(_ value: Identifier?) where Identifier.RawValue == String {
        self.init(value?.rawValue)
    }

    /// The number of an enumeration, or `NULL`.
    public init<Number: RawRepresentable>(_ value: Number?) where Number.RawValue == Int {
        self.init(value?.rawValue)
    }
}

extension SQLValue: ExpressibleByNilLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
{
    /// `NULL`.
    public init(nilLiteral: ()) { self = .null }
    /// The integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// The double.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// The text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// 1 or 0.
    public init(booleanLiteral value: Bool) { self = .integer(value ? 1 : 0) }
}
