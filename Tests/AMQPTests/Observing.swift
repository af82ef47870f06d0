import Foundation
import ServiceKit
import Synchronization

/// What was logged.
final class LogLines: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    var logger: Logger { Logger(service: "test") { [self] line in lines.withLock { $0.append(line) } } }
}

/// How many threads of this process have a name.
func threads(named name: String) -> Int {
    let folder = URL(fileURLWithPath: "/proc/self/task")
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return threads.filter { thread in
        let comm = try? String(contentsOf: folder.appendingPathComponent("\(thread)/comm"), encoding: .utf8)
        return comm?.dropLast() == name.prefix(15)
    }.count
}
