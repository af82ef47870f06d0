internal import Crypto
internal import FoundationEssentials
internal import Glibc
package import Messages

/// A file of `user=password` lines, readable by its owner alone: from it the services' logins are made, and whoever
/// starts them reads it.
package struct PasswordFile: Sendable, Equatable {
    /// In the order of the file.
    package private(set) var entries: [(user: String, password: String)] = []

    package init() {}

    /// Reads lines; empty ones and those that begin with `#` are passed over.
    ///
    /// - Throws: ``ToolFailure`` that names a line without `=`, and nothing of what is in it.
    package init(parsing text: String) throws(ToolFailure) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard !line.isEmpty, !line.hasPrefix("#") else { continue }
            guard let equals = line.firstIndex(of: "="), equals != line.startIndex,
                line.index(after: equals) != line.endIndex
            else { throw ToolFailure(.failed, "line \(index + 1) of the passwords is not user=password") }
            entries.append((String(line[..<equals]), String(line[line.index(after: equals)...])))
        }
    }

    /// The password of `user`; the last line about him counts.
    package func password(of user: BrokerUser) -> String? { entries.last { $0.user == user.rawValue }?.password }

    /// Adds a line.
    package mutating func set(_ password: String, for user: BrokerUser) { entries.append((user.rawValue, password)) }

    /// The whole text.
    package var text: String { entries.map { "\($0.user)=\($0.password)\n" }.joined() }

    package static func == (left: PasswordFile, right: PasswordFile) -> Bool { left.text == right.text }

    /// A password that nobody can guess, of letters and digits that need no quoting in addresses.
    package static func random() -> String { Base64.url.encode(RandomBytes.make(24)) }
}

extension PasswordFile {
    /// Reads the file at `path`; an empty one where there is none.
    ///
    /// - Throws: ``ToolFailure`` for a file that others can read: what is in it is known by now.
    package init(readingFrom path: String) throws(ToolFailure) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            guard errno == ENOENT else { throw Self.failure("read", path) }
            self.init()
            return
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolFailure(
                .failed, "\(path) can be read by others than its owner",
                advice: "if nobody has: chmod 600 \(path); else remove it, and new passwords are made")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw Self.failure("read", path) }
        try self.init(parsing: text)
    }

    /// Writes the file at `path` anew, with mode 0600; there at once or not at all.
    ///
    /// - Throws: ``ToolFailure``.
    package func write(to path: String) throws(ToolFailure) {
        try PrivateFile.write(text, to: path)
    }

    private static func failure(_ operation: String, _ path: String) -> ToolFailure {
        ToolFailure(.failed, "cannot \(operation) \(path): \(String(cString: strerror(errno)))")
    }
}
