/// What `--help` says, made from the layouts.
package enum HelpText {
    /// Of one command.
    package static func of(_ layout: CommandLayout) -> String {
        var text = wrapped("tollgate \(layout.name): \(layout.summary)") + "\n\nusage: tollgate \(layout.name)"
        for operand in layout.operands {
            let name = operand.placeholder + (operand.isRepeatable ? "…" : "")
            text += operand.isRequired ? " \(name)" : " [\(name)]"
        }
        for option in layout.options where option.isRequired { text += " \(synopsis(option))" }
        text += " [options]\n"
        if let details = layout.details { text += "\n\(wrapped(details))\n" }
        text += "\n"
        for operand in layout.operands { text += row(operand.placeholder, operand.meaning) }
        for option in layout.options { text += row(synopsis(option), meaning(of: option)) }
        return text + "\nexample: \(layout.example)"
    }

    /// Of the tool, or of a group of commands: one line each.
    package static func of(_ layouts: [CommandLayout], group: String? = nil) -> String {
        let shown = layouts.filter { group == nil || $0.path.first == group }
        var text = "tollgate: the operator's tool of an in-app-purchase back end\n\n"
        text +=
            "usage: tollgate \(group.map { "\($0) " } ?? "")COMMAND [options]; every command explains itself with --help\n\n"
        for layout in shown { text += row(layout.name, layout.summary) }
        text += """

            The broker is TOLLGATE_BROKER (amqp://user:password@host:port/vhost), its
            management API is TOLLGATE_BROKER_MANAGEMENT (http://host:15672); --broker and
            --management win over them. Exit status: 0 done, 1 refused, failed or not as it
            should be, 2 not available now, 64 wrong command line, 78 wrong setting.

            example: \(shown.first?.example ?? "tollgate reconcile")
            """
        return text
    }

    /// Line by line; what is set in by itself, or fits, stays as it is.
    private static func wrapped(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            line.count <= PageText.columns || line.hasPrefix(" ") ? [String(line)] : PageText.wrapped(String(line))
        }.joined(separator: "\n")
    }

    private static func synopsis(_ option: any OptionDescription) -> String {
        option.placeholder.map { "\(option.name) \($0)" } ?? option.name
    }

    private static func meaning(of option: any OptionDescription) -> String {
        var notes: [String] = []
        if option.isRepeatable { notes.append("may be repeated") }
        if let variable = option.variable { notes.append("or \(variable)") }
        if let text = option.defaultText { notes.append("default \(text)") }
        return notes.isEmpty ? option.meaning : "\(option.meaning) (\(notes.joined(separator: "; ")))"
    }

    private static func row(_ name: String, _ meaning: String) -> String {
        let width = 28
        let margin = "\n" + String(repeating: " ", count: width + 2)
        let text = PageText.wrapped(meaning, columns: PageText.columns - width - 2).joined(separator: margin)
        guard name.count < width else { return "  \(name)\(margin)\(text)\n" }
        return "  \(name)\(String(repeating: " ", count: width - name.count))\(text)\n"
    }
}
