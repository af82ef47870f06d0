package import Messages

/// How the tool ends, for scripts.
package enum ExitStatus: Int32, Sendable {
    /// It was done; what was checked is as it should be.
    case success = 0
    /// It was refused or failed; or what was checked is not as it should be.
    case failed = 1
    /// Not now: no broker, or nobody who answers. Trying again may help.
    case unavailable = 2
    /// The command line is wrong (`EX_USAGE` of sysexits.h).
    case usage = 64
    /// A setting of the environment is wrong (`EX_CONFIG`).
    case settings = 78
    /// Ctrl-C was pressed: what is said is of a part (128 and SIGINT, as shells say it).
    case interrupted = 130
}

/// Why a command did not do what it was asked: what happened, to what, and what to do about it.
package struct ToolFailure: Error, Equatable, CustomStringConvertible {
    /// How the process ends.
    package let status: ExitStatus
    /// For the operator; no secrets.
    package let description: String

    /// The no of a service, where it is one.
    package let refusal: Refusal?

    /// - Parameter advice: what to do about it, as a sentence without its full stop.
    package init(_ status: ExitStatus = .failed, _ what: String, advice: String? = nil, refusal: Refusal? = nil) {
        self.status = status
        self.refusal = refusal
        description = advice.map { "\(what)\n  \($0)" } ?? what
    }
}
