internal import Crypto
internal import FoundationEssentials
internal import Glibc

/// A file that an operator has named, read as far as is sensible. `-` is standard input.
struct InputFile {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Whether a file of that name can be read.
    var isThere: Bool { access(path, R_OK) == 0 }

    /// Its content; of one that is longer, a byte more than `limit`: enough to see that it is too long. What never
    /// ends, such as `/dev/zero`, ends there too.
    ///
    /// - Throws: ``ToolFailure`` with the status of a wrong command line.
    func bytes(upTo limit: Int) throws(ToolFailure) -> [UInt8] {
        let file = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw failure() }
        defer { if file != STDIN_FILENO { close(file) } }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= limit {
            let count = read(file, &buffer, min(buffer.count, limit + 1 - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure() }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// Its content.
    ///
    /// - Throws: ``ToolFailure``, also for one that is longer than `limit`.
    func whole(upTo limit: Int) throws(ToolFailure) -> [UInt8] {
        let bytes = try bytes(upTo: limit)
        guard bytes.count <= limit else { throw ToolFailure(.usage, "\(path) is longer than \(limit) bytes") }
        return bytes
    }

    /// The certificates that it holds: one in DER, or any number in PEM.
    ///
    /// - Throws: ``ToolFailure``, also if there is none.
    func certificates() throws(ToolFailure) -> [Certificate] {
        let bytes = try whole(upTo: 1 << 20)
        let start = "-----BEGIN CERTIFICATE-----"
        do {
            guard let text = String(validating: bytes, as: UTF8.self), text.contains(start) else {
                return [try Certificate(der: bytes)]
            }
            return try text.split(separator: start).dropFirst(text.hasPrefix(start) ? 0 : 1)
                .map { try Certificate(pem: start + $0) }
        } catch {
            throw ToolFailure(.usage, "\(path) is no certificate: \(error)", advice: "expected PEM or DER")
        }
    }

    private func failure() -> ToolFailure {
        let name = path == "-" ? "standard input" : path
        let advice = errno == ENOENT ? "is the path right? - reads standard input" : nil
        return ToolFailure(.usage, "cannot read \(name): \(String(cString: strerror(errno)))", advice: advice)
    }
}
