import Foundation
import JSON

extension JSONValue {
    /// Where another value differs from this one: `path: this, there that`.
    func differences(to other: JSONValue, at path: String = "") -> [String] {
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            return Set(mine.keys).union(others.keys).sorted().flatMap { name in
                let place = path.isEmpty ? name : "\(path).\(name)"
                return (mine[name] ?? .null).differences(to: others[name] ?? .null, at: place)
            }
        case (.array(let mine), .array(let others)) where mine.count == others.count:
            return zip(mine, others).enumerated().flatMap { index, pair in
                pair.0.differences(to: pair.1, at: "\(path)[\(index)]")
            }
        default:
            return self == other ? [] : ["\(path.isEmpty ? "" : "\(path) ")\(text) became \(other.text)"]
        }
    }

    /// As JSON, cut where it is long.
    private var text: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let text = (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return text.count > 300 ? "\(text.prefix(300))…" : text
    }
}
