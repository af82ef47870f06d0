/// One option of a command, `--name VALUE`: declared once, read by the parser, shown by `--help`.
package struct Option<Value: Sendable>: OptionDescription {
    package let name: String
    package let placeholder: String?
    package let meaning: String
    package let expectation: String
    package let variable: String?
    package let defaultText: String?
    package let isRequired: Bool
    package let isRepeatable: Bool
    let parse: @Sendable (String) -> Value?

    /// - Parameters:
    ///   - name: with its dashes.
    ///   - placeholder: stands for the value in `--help`.
    ///   - meaning: what it decides, in a sentence.
    ///   - expectation: what a good value looks like; said when it is not.
    ///   - variable: the setting that stands in when the option is absent.
    ///   - defaultText: stands in when both are absent.
    ///   - isRequired: whether the command does nothing without it.
    ///   - isRepeatable: whether it may be given several times.
    ///   - parse: nil for a text that is not a good value.
    package init(
        _ name: String, _ placeholder: String, _ meaning: String, expectation: String, variable: String? = nil,
        default defaultText: String? = nil, isRequired: Bool = false, isRepeatable: Bool = false,
        parse: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.placeholder = placeholder
        self.meaning = meaning
        self.expectation = expectation
        self.variable = variable
        self.defaultText = defaultText
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.parse = parse
    }
}

extension Option where Value == String {
    /// Any text that is not empty.
    package static func text(
        _ name: String, _ placeholder: String, _ meaning: String, variable: String? = nil,
        default defaultText: String? = nil, isRequired: Bool = false, isRepeatable: Bool = false
    ) -> Option {
        Option(
            name, placeholder, meaning, expectation: "a text that is not empty", variable: variable,
            default: defaultText, isRequired: isRequired, isRepeatable: isRepeatable
        ) { $0.isEmpty ? nil : $0 }
    }
}

extension Option where Value == Int {
    /// A whole number within bounds.
    package static func number(
        _ name: String, _ placeholder: String, _ meaning: String, in range: ClosedRange<Int>, default number: Int? = nil
    ) -> Option {
        Option(
            name, placeholder, meaning,
            expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)",
            default: number.map(String.init)
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

/// An option without a value: there or not.
package struct Flag: OptionDescription {
    package let name: String
    package let meaning: String
    package var placeholder: String? { nil }
    package var variable: String? { nil }
    package var defaultText: String? { nil }
    package var isRequired: Bool { false }
    package var isRepeatable: Bool { false }

    /// - Parameter name: with its dashes.
    package init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }
}

/// What the parser and `--help` have to know of an option.
package protocol OptionDescription: Sendable {
    /// With its dashes.
    var name: String { get }
    /// Stands for the value; nil: it has none.
    var placeholder: String? { get }
    /// What it decides.
    var meaning: String { get }
    /// The setting that stands in when it is absent.
    var variable: String? { get }
    /// Stands in when both are absent.
    var defaultText: String? { get }
    /// Whether the command does nothing without it.
    var isRequired: Bool { get }
    /// Whether it may be given several times.
    var isRepeatable: Bool { get }
}

/// What stands by itself behind a command: `users show USER`.
package struct Operand: Sendable {
    /// Stands for it in `--help`.
    package let placeholder: String
    /// What it names.
    package let meaning: String
    /// Whether it takes all that follow; the last one only.
    package let isRepeatable: Bool
    /// Whether the command does nothing without it.
    package let isRequired: Bool

    /// - Parameter placeholder: stands for it in `--help`.
    package init(_ placeholder: String, _ meaning: String, isRepeatable: Bool = false, isRequired: Bool = true) {
        self.placeholder = placeholder
        self.meaning = meaning
        self.isRepeatable = isRepeatable
        self.isRequired = isRequired
    }
}
