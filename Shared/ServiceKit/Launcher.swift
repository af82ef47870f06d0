internal import FoundationEssentials
internal import Glibc

/// Turns a service into a program: reads the command line and the settings, runs it until a signal, and ends the
/// process with a status and one line where something is wrong.
///
/// Nothing may leave an async `main` by `throw`: the operator would get a crash dump instead of that line.
public enum Launcher {
    /// `EX_CONFIG` of sysexits.h: the settings are wrong, a restart will not help.
    public static let badSettings: Int32 = 78

    /// Runs the program and does not return. Exit status 0 after an orderly stop, 78 for bad settings, else 1.
    ///
    /// - Parameters:
    ///   - name: the executable's name.
    ///   - summary: one sentence on what it does, for `--help`.
    ///   - health: answers `--health`: whether the running service is ready, for images without a shell.
    ///   - make: the composition root: builds the parts from the settings.
    public static func run<Group: SettingsGroup>(
        _ name: String, summary: String, settings group: Group.Type, version: String,
        health: (Group) async -> Bool, make: (Group, Logger) async throws -> any Service
    ) async -> Never {
        let arguments = CommandLine.arguments.dropFirst()
        switch arguments.first {
        case "--help", "-h":
            print(help(name, summary: summary, catalogue: LogSettings.catalogue + Group.catalogue))
            exit(0)
        case "--version":
            print("\(name) \(version)")
            exit(0)
        case nil, "--health": break
        case let unknown?:
            complain("\(name): unknown argument \(unknown); try --help")
            exit(64)
        }
        let parsed: (settings: Group, log: LogSettings)
        do {
            let settings = try Settings(environment: ProcessInfo.processInfo.environment)
            parsed = (try Group(from: settings), try LogSettings(from: settings))
        } catch {
            complain("\(name): \(error)")
            exit(badSettings)
        }
        if arguments.first == "--health" { exit(await health(parsed.settings) ? 0 : 1) }
        let logger = Logger(service: name, least: parsed.log.level)
        do {
            let service = try await make(parsed.settings, logger)
            try await runUntilSignal(service, logger: logger)
            logger.info("stopped")
            exit(0)
        } catch let error as SettingsError {
            complain("\(name): \(error)")
            exit(badSettings)
        } catch {
            logger.error("ended", ["error": .string(String(reflecting: error))])
            complain("\(name): \(error)")
            exit(1)
        }
    }

    private static func runUntilSignal(_ service: any Service, logger: Logger) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await service.run() }
            group.addTask {
                guard let number = await Signals.firstToStop() else { return }
                logger.info("stopping", ["signal": .integer(Int(number))])
            }
            defer { group.cancelAll() }
            _ = try await group.next()
            group.cancelAll()
            for try await _ in group {}
        }
    }

    package static func help(_ name: String, summary: String, catalogue: [any SettingDescription]) -> String {
        var text = """
            \(name): \(summary)

            usage: \(name) [--help | --version | --health]
              --health   exit 0 if the service that runs with these settings is ready, else 1
            example: TOLLGATE_BROKER=amqp://\(name):password@localhost TOLLGATE_STORE=stores/\(name) \(name)

            Settings (environment, or NAME=value lines in the file that TOLLGATE_SETTINGS names; NAME_FILE reads a value
            from a file):

            """
        for setting in [Settings.file as any SettingDescription] + catalogue {
            text += "\n  \(setting.name)\n      \(setting.meaning)\n"
            switch setting.defaultText {
            case nil: text += "      required\n"
            case "": text += "      default: none\n"
            case let value?: text += "      default: \(value)\n"
            }
        }
        return text
    }

    private static func complain(_ line: String) { Logger.standardError(line + "\n") }
}

/// How much a program logs.
struct LogSettings: SettingsGroup {
    static let level = Setting<Logger.Level>(
        "TOLLGATE_LOG_LEVEL", default: "info", "The least level of log lines written to standard error",
        expectation: "debug, info, warning or error"
    ) { text in Logger.Level.allCases.first { "\($0)" == text } }

    static var catalogue: [any SettingDescription] { [level] }

    let level: Logger.Level

    init(from settings: Settings) throws(SettingsError) { level = try settings.value(of: Self.level) }
}
