/// Reads what follows a command's words, as its layout says.
///
/// `--name VALUE`, `--name=VALUE` and operands in any order; after `--` everything is an operand.
package struct ArgumentParser: Sendable {
    private let layout: CommandLayout

    /// A parser for this command.
    package init(_ layout: CommandLayout) { self.layout = layout }

    /// Sorts `words` into options and operands. Whether required ones are there is up to ``Arguments``: a setting may
    /// stand in.
    ///
    /// - Throws: ``UsageError`` that names the word.
    package func parse(_ words: [String]) throws(UsageError) -> (options: [String: [String]], operands: [String]) {
        var options: [String: [String]] = [:]
        var operands: [String] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--" {
                operands += rest
                break
            }
            let (name, attached) = Self.split(word)
            guard let option = layout.options.first(where: { $0.name == name || name == "-h" && $0.name == "--help" })
            else { throw UsageError(layout, "\(layout.name) has no option \(name)") }
            guard option.isRepeatable || options[option.name] == nil else {
                throw UsageError(layout, "\(option.name) is given twice")
            }
            guard let placeholder = option.placeholder else {
                guard attached == nil else { throw UsageError(layout, "\(option.name) takes no value") }
                options[option.name] = [""]
                continue
            }
            guard let value = attached ?? rest.popFirst() else {
                throw UsageError(layout, "\(option.name) needs a value: \(option.name) \(placeholder)")
            }
            options[option.name, default: []].append(value)
        }
        if options[CommandLayout.help.name] == nil { try checkCount(of: operands) }
        return (options, operands)
    }

    private func checkCount(of operands: [String]) throws(UsageError) {
        let required = layout.operands.prefix { $0.isRequired }
        guard operands.count >= required.count else {
            let missing = required[operands.count...].map(\.placeholder)
            let verb = missing.count == 1 ? "is" : "are"
            throw UsageError(layout, "\(missing.joined(separator: " and ")) \(verb) missing")
        }
        guard layout.operands.last?.isRepeatable == true || operands.count <= layout.operands.count else {
            throw UsageError(layout, "\(operands[layout.operands.count]) is one word too many")
        }
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }
}

/// A command line that says nothing sensible: what is wrong with it, and where to read how it should be.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    /// For the operator.
    package let description: String

    /// Wrong for the command of this layout.
    package init(_ layout: CommandLayout, _ text: String) {
        description = "\(text); see tollgate \(layout.name) --help"
    }

    /// Wrong before any command was found.
    package init(_ text: String) { description = text }
}
