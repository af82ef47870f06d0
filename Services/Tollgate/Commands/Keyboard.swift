internal import Glibc

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
