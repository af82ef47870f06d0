package import ServiceKit

/// What a command was told, checked when it is asked for: by its options, else by settings, else by defaults.
package struct Arguments: Sendable {
    private let layout: CommandLayout
    private let options: [String: [String]]
    private let operands: [String]
    private let settings: Settings

    /// - Throws: ``UsageError`` for words that the layout does not know, and for required ones that are not there;
    ///   `SettingsError` for a setting that cannot be read.
    package init(_ words: [String], as layout: CommandLayout, settings: Settings) throws {
        let (options, operands) = try ArgumentParser(layout).parse(words)
        self.layout = layout
        self.options = options
        self.operands = operands
        self.settings = settings
        guard !isSet(CommandLayout.help) else { return }
        for option in layout.options where option.isRequired {
            guard options[option.name] == nil, try setting(option.variable) == nil else { continue }
            let alternative = option.variable.map { ", or set \($0)" } ?? ""
            throw UsageError(layout, "\(option.name) \(option.placeholder ?? "") is missing\(alternative)")
        }
    }

    /// Whether a flag, or any other option, was given.
    package func isSet(_ option: any OptionDescription) -> Bool { options[option.name] != nil }

    /// The value of an option that is required or has a default.
    ///
    /// - Throws: ``UsageError`` or `SettingsError`, by where the value came from.
    package func value<Value>(of option: Option<Value>) throws -> Value {
        guard let value = try optional(option) else { throw UsageError(layout, "\(option.name) is missing") }
        return value
    }

    /// The value of an option that may be absent.
    ///
    /// - Throws: as ``value(of:)``.
    package func optional<Value>(_ option: Option<Value>) throws -> Value? {
        if let text = options[option.name]?.last { return try parsed(text, as: option) }
        if let variable = option.variable, let text = try setting(variable) {
            guard let value = option.parse(text) else {
                throw SettingsError(name: variable, value: text, expectation: option.expectation)
            }
            return value
        }
        return try option.defaultText.map { text throws in try parsed(text, as: option) }
    }

    /// The values of an option that may be given several times, in order.
    ///
    /// - Throws: ``UsageError``.
    package func all<Value>(_ option: Option<Value>) throws -> [Value] {
        try (options[option.name] ?? []).map { text throws in try parsed(text, as: option) }
    }

    /// The operand at `index`, which the layout requires or which is empty.
    package func operand(_ index: Int) -> String { index < operands.count ? operands[index] : "" }

    /// The operands from `index` on.
    package func operands(from index: Int) -> [String] { Array(operands.dropFirst(index)) }

    /// Something that only the command can know to be wrong.
    package func wrong(_ text: String) -> UsageError { UsageError(layout, text) }

    private func parsed<Value>(_ text: String, as option: Option<Value>) throws(UsageError) -> Value {
        guard let value = option.parse(text) else {
            throw UsageError(layout, "\(option.name) \(text): expected \(option.expectation)")
        }
        return value
    }

    private func setting(_ variable: String?) throws(SettingsError) -> String? {
        guard let variable else { return nil }
        return try settings.value(of: Setting<String?>.optionalText(variable, ""))
    }
}
