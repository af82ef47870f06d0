/// One setting of a program: an environment variable, or a line of the settings file, with its meaning and its check.
public struct Setting<Value: Sendable>: Sendable, SettingDescription {
    /// The environment variable, e.g. `TOLLGATE_BROKER`.
    public let name: String
    /// What it decides, in a sentence, with its unit.
    public let meaning: String
    /// The text that stands in when it is absent; nil: it has to be given.
    public let defaultText: String?
    /// What a good value looks like; said when it is not.
    public let expectation: String
    /// A bad value is not shown, for it may hold a good password.
    let isSecret: Bool
    let parse: @Sendable (String) -> Value?

    /// - Parameter parse: nil for a text that is not a good value.
    public init(
        _ name: String, default defaultText: String?, _ meaning: String, expectation: String, isSecret: Bool = false,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.meaning = meaning
        self.defaultText = defaultText
        self.expectation = expectation
        self.isSecret = isSecret || Value.self == Secret.self
        self.parse = parse
    }
}

/// What `--help` says of a setting.
public protocol SettingDescription: Sendable {
    /// The environment variable.
    var name: String { get }
    /// What it decides.
    var meaning: String { get }
    /// What stands in when it is absent.
    var defaultText: String? { get }
}

extension Setting where Value == String {
    /// A text, not empty.
    public static func text(_ name: String, default defaultText: String?, _ meaning: String) -> Setting {
        Setting(name, default: defaultText, meaning, expectation: "a text that is not empty") {
            $0.isEmpty ? nil : $0
        }
    }
}

extension Setting where Value == String? {
    /// A text, or nothing.
    public static func optionalText(_ name: String, _ meaning: String) -> Setting {
        Setting(name, default: "", meaning, expectation: "a text") { $0.isEmpty ? .some(nil) : $0 }
    }
}

extension Setting where Value == Int {
    /// A whole number within `range`.
    public static func integer(_ name: String, in range: ClosedRange<Int>, default number: Int, _ meaning: String)
        -> Setting
    {
        Setting(
            name, default: String(number), meaning,
            expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)"
        ) { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}

extension Setting where Value == Bool {
    /// `on` or `off`.
    public static func flag(_ name: String, default flag: Bool, _ meaning: String) -> Setting {
        Setting(name, default: flag ? "on" : "off", meaning, expectation: "on or off") {
            ["on": true, "off": false][$0]
        }
    }
}

extension Setting where Value == Duration {
    /// A duration with its unit: `250ms`, `10s`, `5m`, `24h`.
    public static func duration(_ name: String, default text: String, _ meaning: String) -> Setting {
        Setting(name, default: text, meaning, expectation: "a duration such as 250ms, 10s, 5m or 24h") {
            Duration(settingText: $0)
        }
    }
}

extension Duration {
    /// Reads `250ms`, `10s`, `5m`, `24h`; nil for anything else, and for more than ten years.
    public init?(settingText text: String) {
        let units: [(suffix: String, milliseconds: Int)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000),
        ]
        guard let unit = units.first(where: { text.hasSuffix($0.suffix) }) else { return nil }
        let digits = text.dropLast(unit.suffix.count)
        // `Int` would take a sign too.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(digits),
            count <= 315_360_000_000 / unit.milliseconds
        else { return nil }
        self = .milliseconds(count * unit.milliseconds)
    }
}
