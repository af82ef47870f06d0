import ServiceKit
import Testing
import Tollgate

@Suite("Arguments")
struct ArgumentParserTests {
    static let app = Option.text("--app", "BUNDLE_ID", "The app", isRequired: true)
    static let organisation = Option.text(
        "--organisation", "ORG", "Whose app it is", variable: "TOLLGATE_ORGANISATION", isRequired: true)
    static let roots = Option.text("--test-root", "FILE", "A root", isRepeatable: true)
    static let wait = Option<Int>(
        "--wait", "SECONDS", "How long", expectation: "whole seconds", default: "0", parse: { Int($0) })
    static let scope = Option<Int>(
        "--scope", "N", "A number", expectation: "a number", variable: "TOLLGATE_SCOPE", parse: { Int($0) })
    static let dryRun = Flag("--dry-run", "Only say it")
    static let layout = CommandLayout(
        "apps add", "Connects an app", operands: [Operand("USER", "The user")],
        options: [app, organisation, roots, wait, scope, dryRun], example: "tollgate apps add --app a b")

    func arguments(_ words: [String], _ environment: [String: String] = [:]) throws -> Arguments {
        try Arguments(words, as: Self.layout, settings: Settings(environment: environment))
    }

    @Test("Options and operands come in any order, with a space or an equals sign")
    func anyOrder() throws {
        let arguments = try arguments(
            ["--app", "com.example", "anna", "--wait=7", "--test-root", "a", "--organisation=o", "--test-root=b"])

        #expect(try arguments.value(of: Self.app) == "com.example")
        #expect(try arguments.value(of: Self.wait) == 7)
        #expect(try arguments.all(Self.roots) == ["a", "b"])
        #expect(arguments.operand(0) == "anna")
        #expect(!arguments.isSet(Self.dryRun))
    }

    @Test("An absent option is a setting, then a default, then nothing")
    func fallbacks() throws {
        let arguments = try arguments(["--app", "a", "anna"], ["TOLLGATE_ORGANISATION": "from-setting"])

        #expect(try arguments.value(of: Self.organisation) == "from-setting")
        #expect(try arguments.value(of: Self.wait) == 0)
        #expect(try arguments.optional(Self.scope) == nil)
        #expect(try arguments.all(Self.roots).isEmpty)
    }

    @Test("An option wins over its setting")
    func optionWins() throws {
        let arguments = try arguments(
            ["--app", "a", "anna", "--organisation", "said"], ["TOLLGATE_ORGANISATION": "set"])

        #expect(try arguments.value(of: Self.organisation) == "said")
    }

    @Test("Behind two dashes everything is an operand")
    func dashes() throws {
        let arguments = try arguments(["--app", "a", "--organisation", "o", "--", "--anna"])

        #expect(arguments.operand(0) == "--anna")
    }

    @Test(
        "A command line that says nothing sensible is told what is wrong with it",
        arguments: [
            (["anna", "--organisation", "o"], "--app BUNDLE_ID is missing"),
            (["anna", "--app", "a"], "--organisation ORG is missing, or set TOLLGATE_ORGANISATION"),
            (["--app", "a", "--organisation", "o"], "USER is missing"),
            (["anna", "otto", "--app", "a"], "otto is one word too many"),
            (["anna", "--aap", "a"], "apps add has no option --aap"),
            (["anna", "-x"], "apps add has no option -x"),
            (["anna", "--app", "a", "--app", "b"], "--app is given twice"),
            (["anna", "--app"], "--app needs a value: --app BUNDLE_ID"),
            (["anna", "--dry-run=yes"], "--dry-run takes no value"),
        ])
    func usage(words: [String], complaint: String) {
        let error = #expect(throws: UsageError.self) { try arguments(words) }

        #expect(error?.description.hasPrefix(complaint) == true, "\(error?.description ?? "no error")")
        #expect(error?.description.hasSuffix("see tollgate apps add --help") == true)
    }

    @Test("A value that is no good is a usage error where it was said, a settings error where it was set")
    func badValues() throws {
        let words = ["anna", "--app", "a", "--organisation", "o"]

        let said = try arguments(words + ["--scope", "many"])
        let set = try arguments(words, ["TOLLGATE_SCOPE": "many"])

        #expect(throws: UsageError.self) { try said.optional(Self.scope) }
        #expect(throws: SettingsError(name: "TOLLGATE_SCOPE", value: "many", expectation: "a number")) {
            try set.optional(Self.scope)
        }
    }

    @Test("Whoever asks for help need not give what is required")
    func help() throws {
        #expect(try arguments(["--help"]).isSet(CommandLayout.help))
        #expect(try arguments(["-h"]).isSet(CommandLayout.help))
    }

    @Test("Help is made of the layout: usage, every option with its setting and default, an example")
    func helpText() {
        let text = HelpText.of(Self.layout)

        #expect(text.contains("usage: tollgate apps add USER --app BUNDLE_ID --organisation ORG [options]"))
        #expect(text.contains("--wait SECONDS"))
        #expect(text.contains("(default 0)"))
        #expect(text.contains("(or TOLLGATE_ORGANISATION)"))
        #expect(text.contains("(may be repeated)"))
        #expect(text.contains("--json"))
        #expect(text.hasSuffix("example: tollgate apps add --app a b"))
    }
}
