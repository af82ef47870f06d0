import Foundation

/// One bit of each byte, not always the same.
func oneBit(ofEach bytes: [UInt8]) -> [Int] { bytes.indices.map { $0 * 8 + $0 % 8 } }

/// Each bit of payload and signature of a signed text; of its header, which is read alike for every kind, one of each byte.
func bitsOfSignedText(_ text: [UInt8]) -> [Int] {
    let header = text.firstIndex(of: UInt8(ascii: ".")) ?? 0
    return oneBit(ofEach: Array(text[..<header])) + Array(header * 8..<text.count * 8)
}

/// Does something for each of these numbers, on all processors: whoever tries every bit has half as long to wait on two.
func sideBySide(_ numbers: some Sequence<Int>, _ body: @escaping @Sendable (Int) throws -> Void) async throws {
    let (all, workers) = (Array(numbers), ProcessInfo.processInfo.activeProcessorCount)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for worker in 0..<workers {
            group.addTask {
                for index in stride(from: worker, to: all.count, by: workers) { try body(all[index]) }
            }
        }
        try await group.waitForAll()
    }
}
