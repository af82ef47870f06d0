/// What can be said to one command: the parser and `--help` are made from it.
package struct CommandLayout: Sendable {
    /// Its words: `["apps", "add"]`.
    package let path: [String]
    /// What it does, in a sentence.
    package let summary: String
    /// More of it, where a sentence does not say all.
    package let details: String?
    /// What stands by itself, in order.
    package let operands: [Operand]
    /// Its own options, and then those of every command.
    package let options: [any OptionDescription]
    /// A line that works.
    package let example: String

    /// Every command says what it says to programs too.
    package static let json = Flag("--json", "Say it as one line of JSON")
    /// Every command explains itself.
    package static let help = Flag("--help", "Say what this command does, and end")

    /// - Parameter name: its words, with a space between them.
    package init(
        _ name: String, _ summary: String, details: String? = nil, operands: [Operand] = [],
        options: [any OptionDescription] = [], example: String
    ) {
        path = name.split(separator: " ").map(String.init)
        self.summary = summary
        self.details = details
        self.operands = operands
        self.options = options + [Self.json, Self.help]
        self.example = example
    }

    /// `apps add`
    package var name: String { path.joined(separator: " ") }
}
