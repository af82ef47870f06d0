internal import Crypto
internal import FoundationEssentials
internal import Glibc
package import ServiceKit

/// The file with the secrets that edges share. It is read once, when an edge starts: to change it, write it and start the
/// edges anew, one after the other.
package struct TokenKeyFile: Sendable {
    private let path: String

    package init(_ path: String) { self.path = path }

    /// Its keys; where there is no file, one is made with a new key, readable by its owner alone.
    ///
    /// Several edges may start at once: one of them makes the file, and all read it.
    ///
    /// - Throws: when it cannot be read or made, others than owner and group may read it, or it holds anything but keys.
    package func keys() throws(SettingsError) -> TokenKeys {
        if access(path, F_OK) != 0 { try make() }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failed("readable") }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { throw failed("a regular file") }
        guard status.st_mode & 0o007 == 0 else {
            throw expected("a file that others have no access to: whoever reads it can make device tokens (chmod 600)")
        }
        guard let text = Self.text(of: file) else { throw failed("readable, and has at most \(Self.mostBytes) bytes") }
        guard let keys = TokenKeys(file: text) else { throw expected(TokenKeys.fileExpectation) }
        return keys
    }

    /// Makes it whole or not at all, unless it is there meanwhile.
    private func make() throws(SettingsError) {
        let folder = URL(filePath: path).deletingLastPathComponent().path
        if access(folder, F_OK) != 0 { mkdir(folder, 0o700) }
        let draft = "\(path).\(RandomBytes.make(8).hexadecimal)"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw failed("in a folder where it can be made") }
        defer { unlink(draft) }
        let bytes = Array(TokenKeys.file(of: RandomBytes.make(TokenKeys.secretBytes)).utf8)
        defer { close(file) }
        guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else {
            throw failed("on a disk that can be written")
        }
        // Unlike a rename, a link never takes the place of another edge's file.
        guard link(draft, path) == 0 || errno == EEXIST else { throw failed("in a folder where it can be made") }
        let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        // What tokens are sealed with must not be gone after a power cut.
        guard fsync(directory) == 0 else { throw failed("on a disk that can be written") }
    }

    /// Of a file of keys with what people write into it.
    private static let mostBytes = 4096

    private static func text(of file: Int32) -> String? {
        var bytes = [UInt8](repeating: 0, count: mostBytes + 1)
        let count = read(file, &bytes, bytes.count)
        guard (0...mostBytes).contains(count) else { return nil }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func expected(_ expectation: String) -> SettingsError {
        SettingsError(name: "TOLLGATE_TOKEN_KEYS", value: path, expectation: expectation)
    }

    private func failed(_ expectation: String) -> SettingsError {
        expected("a file that is \(expectation) (errno \(errno))")
    }
}
