internal import Glibc

/// Lines of a file, one at a time: an export may be larger than memory.
final class LineReader {
    private let file: FileHandleReader
    private var buffer: [UInt8] = []
    /// Where the next line begins: what is before it is dropped when more is read, not line by line.
    private var start = 0
    private var searched = 0

    init(_ path: String) throws { file = try FileHandleReader(path) }

    /// Nil at the end.
    ///
    /// - Throws: ``ToolFailure`` for a line that is longer than any letter.
    func next() throws -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: 0x0A) {
                defer { (start, searched) = (end + 1, end + 1) }
                return Array(buffer[start..<end])
            }
            buffer.removeSubrange(..<start)
            (start, searched) = (0, buffer.count)
            guard buffer.count < 256 << 20 else { throw ToolFailure(.failed, "a line is longer than 256 MB") }
            guard let more = try file.read() else {
                defer { (buffer, searched) = ([], 0) }
                return buffer.isEmpty ? nil : buffer
            }
            buffer += more
        }
    }
}

/// Reads a file or a pipe piece by piece.
private final class FileHandleReader {
    private let descriptor: Int32

    /// - Throws: ``ToolFailure`` that names the path.
    init(_ path: String) throws(ToolFailure) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolFailure(.failed, "cannot read \(path): \(String(cString: strerror(errno)))")
        }
    }

    deinit { close(descriptor) }

    /// Nil at the end.
    func read() throws(ToolFailure) -> [UInt8]? {
        while true {
            var count = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 18) { buffer, initialized in
                count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                initialized = max(0, count)
            }
            if count > 0 { return bytes }
            if count == 0 { return nil }
            guard errno == EINTR else {
                throw ToolFailure(.failed, "cannot read on: \(String(cString: strerror(errno)))")
            }
        }
    }
}
