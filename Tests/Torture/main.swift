import Foundation
import Messages
import TestSupport

signal(SIGPIPE, SIG_IGN)

let arguments = Array(CommandLine.arguments.dropFirst())
guard let options = Options(arguments) else {
    FileHandle.standardError.write(Data((Options.usage + "\n").utf8))
    exit(64)
}

let report: Report
do {
    var torture = Torture(options)
    report = try await torture.run()
} catch {
    FileHandle.standardError.write(Data("torture: \(error)\nagain: \(options.command)\n".utf8))
    exit(2)
}
if options.isJSON {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
} else {
    print(report.text)
}
exit(report.wrong.isEmpty ? 0 : 1)
