internal import FoundationEssentials
internal import Glibc
internal import ServiceKit
internal import Tollgate

let ending = await Tool(in: Surroundings(environment: ProcessInfo.processInfo.environment)).run(
    Array(CommandLine.arguments.dropFirst()))
var status = ending.status
do {
    if !ending.output.isEmpty { try Surroundings.standardOutput(ending.output + "\n") }
} catch {
    // Whoever asked believes what has come to be all of it.
    Logger.standardError("tollgate: \(error)\n")
    if status == .success { status = .failed }
}
if !ending.complaint.isEmpty { Logger.standardError(ending.complaint + "\n") }
exit(status.rawValue)
