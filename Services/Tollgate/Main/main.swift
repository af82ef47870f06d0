internal import FoundationEssentials
internal import Glibc
internal import ServiceKit
internal import Tollgate

let ending = await Tool(in: Surroundings(environment: ProcessInfo.processInfo.environment)).run(
    Array(CommandLine.arguments.dropFirst()))
if !ending.output.isEmpty { print(ending.output) }
if !ending.complaint.isEmpty { Logger.standardError(ending.complaint + "\n") }
exit(ending.status.rawValue)
