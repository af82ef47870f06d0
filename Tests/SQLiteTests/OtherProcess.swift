import Foundation
import Glibc

/// A process that holds something, until it is killed.
struct OtherProcess {
    private let process = Process()
    var pid: Int32 { process.processIdentifier }

    /// Waits until the process has written something, which says that it holds it.
    init(_ executable: String, _ arguments: [String], input text: String = "") throws {
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        input.fileHandleForWriting.write(Data(text.utf8))
        _ = output.fileHandleForReading.availableData
    }

    func kill() {
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
