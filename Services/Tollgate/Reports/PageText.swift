internal import FoundationEssentials
internal import JSON
internal import Messages

/// Lines of a page for people: values laid out in two columns, none wider than a terminal.
enum PageText {
    /// Of a terminal.
    static let columns = 80
    /// Of a list, as many are shown; `--json` has all.
    private static let longestList = 8
    /// Objects in objects are followed as far.
    private static let deepest = 6

    /// A name and what belongs to it. What does not fit is cut.
    static func row(_ name: String, _ value: String, width: Int) -> String {
        let name = name.onOneLine
        let gap = String(repeating: " ", count: max(2, width - name.count))
        return cut("  \(name)\(gap)\(value.onOneLine)")
    }

    /// A sentence over several lines; none for nothing.
    static func wrapped(_ text: String, columns: Int = columns) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.onOneLine.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + word.count + 1 < columns {
                line += " \(word)"
            } else {
                lines.append(cut(line))
                line = String(word)
            }
        }
        return line.isEmpty ? lines : lines + [cut(line)]
    }

    /// Everything in `fields`: plain values first, then what has an inside.
    static func lines(_ fields: [String: JSONValue], indent: Int = 0) -> [String] {
        let margin = String(repeating: "  ", count: indent)
        let sorted = fields.sorted { $0.key < $1.key }
        let plain = sorted.filter { !$0.value.hasInside }
        let width = min(32, (plain.map(\.key.count).max() ?? 0) + 2)
        return plain.map { margin + row($0.key, written($0.value, of: $0.key), width: width) }.map(cut)
            + sorted.filter(\.value.hasInside).flatMap { inside($0.value, $0.key, indent: indent) }
    }

    private static func inside(_ value: JSONValue, _ name: String, indent: Int) -> [String] {
        let title = cut(String(repeating: "  ", count: indent + 1) + name.onOneLine)
        switch value {
        case .object(let members) where indent < deepest: return [title] + lines(members, indent: indent + 1)
        case .array(let values) where indent < deepest:
            let shown = values.prefix(longestList).enumerated().flatMap { index, value in
                value.hasInside
                    ? inside(value, "\(name)[\(index)]", indent: indent)
                    : lines(["\(name)[\(index)]": value], indent: indent)
            }
            let more = values.count - longestList
            return more > 0 ? shown + ["\(title): \(more) more; --json shows all"] : shown
        default: return ["\(title): more, which --json shows"]
        }
    }

    /// A value on one line. Milliseconds of a date are followed by the time that they are.
    private static func written(_ value: JSONValue, of name: String) -> String {
        switch value {
        case .null: return "none"
        case .boolean(let value): return value ? "true" : "false"
        case .integer(let value): return time(Double(value), name).map { "\(value), \($0)" } ?? "\(value)"
        case .double(let value): return time(value, name).map { "\(value), \($0)" } ?? "\(value)"
        case .string(let value): return value
        case .array, .object: return "empty"
        }
    }

    /// Apple and Google call their times so.
    private static func time(_ milliseconds: Double, _ name: String) -> String? {
        guard name.hasSuffix("Date") || name.hasSuffix("Time"), milliseconds.magnitude < 1e15 else { return nil }
        return Timestamp(Date(timeIntervalSince1970: milliseconds / 1000)).rfc3339
    }

    /// When it says that it was signed.
    static func signedAt(_ fields: [String: JSONValue]) -> String? {
        let names = ["signedDate", "receiptCreationDate", "receipt_creation_date", "creation_time"]
        for name in names {
            switch fields[name] {
            case .integer(let value): return time(Double(value), name)
            case .double(let value): return time(value, name)
            case .string(let text): return text
            default: break
            }
        }
        return nil
    }

    private static func cut(_ line: String) -> String {
        line.count <= columns ? line : line.prefix(columns - 1) + "…"
    }
}

extension JSONValue {
    fileprivate var hasInside: Bool {
        switch self {
        case .array(let values): !values.isEmpty
        case .object(let members): !members.isEmpty
        default: false
        }
    }
}
