/// A value in a log line: what JSON has, less nesting.
public enum LogValue: Sendable, Hashable {
    /// A text; control characters are escaped.
    case string(String)
    /// A whole number.
    case integer(Int)
    /// A number with a fraction.
    case double(Double)
    /// True or false.
    case bool(Bool)

    /// A duration in milliseconds, to three decimals.
    public static func milliseconds(_ duration: Duration) -> LogValue {
        let (seconds, attoseconds) = duration.components
        return .double(Double(seconds) * 1e3 + (Double(attoseconds) / 1e12).rounded() / 1e3)
    }
}

extension LogValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    /// A text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int) { self = .integer(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension LogValue {
    func append(to line: inout String) {
        switch self {
        case .string(let text): Self.append(quoted: text, to: &line)
        case .integer(let number): line += String(number)
        case .double(let number): line += number.isFinite ? String(number) : "null"
        case .bool(let flag): line += flag ? "true" : "false"
        }
    }

    /// `text` as a JSON string (RFC 8259 § 7); longer than 4,096 scalars it is cut, for a line is not a store.
    static func append(quoted text: String, to line: inout String) {
        line += "\""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            if index == 4096 {
                line += "…"
                break
            }
            switch scalar {
            case "\"": line += "\\\""
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            case "\t": line += "\\t"
            // Beyond what JSON asks for: what some readers take for the end of a line, and what steers a terminal.
            case let control where control.value < 0x20 || (0x7F...0x9F).contains(control.value),
                let control where control == "\u{2028}" || control == "\u{2029}":
                let hexadecimal = String(control.value, radix: 16)
                line += "\\u" + String(repeating: "0", count: 4 - hexadecimal.count) + hexadecimal
            default: line.unicodeScalars.append(scalar)
            }
        }
        line += "\""
    }
}
