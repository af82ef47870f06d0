internal import Glibc

/// Reads a file or a pipe piece by piece.
final class FileHandleReader {
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

/// The keyboard, key by key, as long as this lives; the terminal is then as it was.
final class Keyboard {
    private var before = termios()

    /// Nil where standard input or output is no terminal.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &before) == 0 else {
            return nil
        }
        var raw = before
        // Ctrl-C comes as a key: a signal would leave the terminal without echo.
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG)
        tcsetattr(STDIN_FILENO, TCSANOW, &raw)
    }

    deinit { tcsetattr(STDIN_FILENO, TCSANOW, &before) }

    /// Whether q, Ctrl-C or Ctrl-D is pressed within so many milliseconds.
    func isEndPressed(within milliseconds: Int32) -> Bool {
        var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        guard poll(&input, 1, milliseconds) > 0 else { return false }
        var key: UInt8 = 0
        // The terminal has gone: nobody looks any more.
        guard Glibc.read(STDIN_FILENO, &key, 1) == 1 else { return true }
        return [UInt8(ascii: "q"), UInt8(ascii: "Q"), 3, 4].contains(key)
    }
}
