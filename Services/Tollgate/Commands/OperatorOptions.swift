internal import Glibc

/// Options of every command that leaves a line in the audit trail, and who works with it: as he names himself there, since
/// the broker knows all operators by one login.
enum OperatorOptions {
    static let by = Option.text(
        "--by", "NAME", "Who you are, for the audit trail; the login at this host unless given",
        variable: "TOLLGATE_OPERATOR")
    static let why = Option.text("--why", "TEXT", "Why, for the audit trail")
    static let yes = Flag("--yes", "Do it; without it is only said what would be done")

    /// Of a reason, in bytes.
    private static let longestWhy = 4096

    /// - Throws: ``UsageError`` where a reason is too long to be kept with every letter.
    static func checkKept(_ why: String, in arguments: Arguments) throws {
        guard why.utf8.count <= longestWhy else {
            throw arguments.wrong("--why is kept with every letter: it has no more than \(longestWhy) bytes")
        }
    }

    static func name(from arguments: Arguments, in surroundings: Surroundings) throws -> String {
        // What cron starts and a container runs has no USER; the system knows it all the same.
        let name = try arguments.optional(by) ?? surroundings.environment["USER"] ?? login
        return String((name ?? "user \(getuid())").onOneLine.prefix(200))
    }

    private static var login: String? { getpwuid(getuid())?.pointee.pw_name.map { String(cString: $0) } }
}
