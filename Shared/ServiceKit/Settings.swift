internal import FoundationEssentials

/// Settings that belong together; a program's own settings are such a group, made of its modules' groups.
public protocol SettingsGroup: Sendable {
    /// Every setting, in the order in which `--help` lists them.
    static var catalogue: [any SettingDescription] { get }
    /// Reads and checks all of them.
    init(from settings: Settings) throws(SettingsError)
}

/// Where settings are read from: the environment, then the file that `TOLLGATE_SETTINGS` names, then the defaults.
///
/// The file has a `NAME=value` a line; empty lines and lines that begin with `#` are passed over. A secret can be kept
/// out of both with `NAME_FILE`: the path of a file that holds the value. Of two in the same place `NAME` wins.
public struct Settings: Sendable {
    /// Names the settings file.
    public static let file = Setting<String?>.optionalText(
        "TOLLGATE_SETTINGS", "A file with more settings, a NAME=value a line; the environment wins")

    /// The environment, then the file.
    private let sources: [[String: String]]

    /// - Throws: when the settings file cannot be read or a line of it is none.
    public init(environment: [String: String]) throws(SettingsError) {
        var file: [String: String] = [:]
        if let path = environment[Self.file.name], !path.isEmpty {
            // A carriage return with its line feed is one `Character`, so a line feed alone would not find it.
            let lines = try Self.contents(of: path, for: Self.file.name)
                .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            for (index, line) in lines.enumerated() {
                guard let first = line.first(where: { !$0.isWhitespace }), first != "#" else { continue }
                guard let equals = line.firstIndex(of: "=") else {
                    throw SettingsError(
                        name: Self.file.name, value: "\(path):\(index + 1)", expectation: "NAME=value lines")
                }
                file[Self.trimmed(line[..<equals])] = Self.trimmed(line[line.index(after: equals)...])
            }
        }
        sources = [environment, file]
    }

    /// The checked value of `setting`.
    public func value<Value>(of setting: Setting<Value>) throws(SettingsError) -> Value {
        guard let text = try text(under: setting.name) ?? setting.defaultText else {
            throw SettingsError(name: setting.name, value: nil, expectation: setting.expectation)
        }
        guard let value = setting.parse(text) else {
            throw SettingsError(
                name: setting.name, value: setting.isSecret ? "•••" : text, expectation: setting.expectation)
        }
        return value
    }

    private func text(under name: String) throws(SettingsError) -> String? {
        for source in sources {
            if let text = source[name] { return text }
            guard let path = source[name + "_FILE"] else { continue }
            return Self.trimmed(try Self.contents(of: path, for: name + "_FILE")[...])
        }
        return nil
    }

    private static func contents(of path: String, for name: String) throws(SettingsError) -> String {
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingsError(name: name, value: path, expectation: "a readable text file")
        }
    }

    private static func trimmed(_ text: Substring) -> String {
        guard let first = text.firstIndex(where: { !$0.isWhitespace }),
            let last = text.lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(text[first...last])
    }
}

/// A setting that is missing or no good: names it, shows what was given, says what is expected.
public struct SettingsError: Error, CustomStringConvertible, Equatable {
    /// The environment variable.
    public let name: String
    /// What was given; nil: nothing. Never a secret.
    public let value: String?
    /// What would be good.
    public let expectation: String

    /// - Parameter value: what was given, unless it is a secret.
    public init(name: String, value: String?, expectation: String) {
        self.name = name
        self.value = value
        self.expectation = expectation
    }

    /// One line for the operator.
    public var description: String {
        if let value { return "\(name)=\(value): expected \(expectation)" }
        return "\(name) is not set: expected \(expectation)"
    }
}
