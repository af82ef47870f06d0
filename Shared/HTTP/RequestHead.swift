internal import CMicroHTTPD
internal import Glibc

/// A request line and headers, copied from where the library has taken them apart.
struct RequestHead {
    let method: String
    let isVersion11: Bool
    /// Bytes of the target as they stood in the request line.
    let targetLength: Int
    /// Bytes of all lines together.
    let size: Int
    /// `nil` when the lines were not what they seem: see ``init(of:method:target:version:)``.
    let headers: HTTPHeaders?

    /// The library parses in place: it ends each piece by overwriting what follows it (a space, a colon, CR and LF)
    /// with NULs, and hands out pointers to the pieces. So their places show what was on the wire, and what the
    /// library passes over in silence: a NUL that cuts a value short, a line that begins with a colon and ends the
    /// headers early, a folded line, a line feed on its own. Each lets two readers of the same bytes see two
    /// different requests (RFC 9112 § 11.2), so only lines of `name:value` CR LF are taken, and at last an empty one.
    init(
        of connection: OpaquePointer, method: UnsafePointer<CChar>, target: UnsafePointer<CChar>,
        version: UnsafePointer<CChar>
    ) {
        self.method = String(cString: method)
        isVersion11 = strcmp(version, "HTTP/1.1") == 0
        // Between the two lies nothing but a space, unless the target held a NUL.
        targetLength = UnsafeRawPointer(version) - UnsafeRawPointer(target) - 1
        size = mhd_shim_header_size(connection)
        var lines = HeaderLines(next: version + strlen(version), end: method + size)
        lines.endLine()
        withUnsafeMutablePointer(to: &lines) { pointer in
            _ = MHD_get_connection_values_n(connection, .HEADER_KIND, takeHeaderLine, pointer)
        }
        lines.endLine()
        headers = lines.areWellFormed && lines.next == lines.end ? lines.headers : nil
    }
}

private struct HeaderLines {
    var headers = HTTPHeaders()
    var areWellFormed = true
    /// Where the next line must begin.
    var next: UnsafePointer<CChar>
    let end: UnsafePointer<CChar>

    /// Passes over what was CR and LF.
    mutating func endLine() {
        guard areWellFormed, end - next >= 2, next[0] == 0, next[1] == 0 else { return areWellFormed = false }
        next += 2
    }

    mutating func take(name: UnsafeBufferPointer<CChar>, value: UnsafeBufferPointer<CChar>) {
        guard
            let nameStart = name.baseAddress, let valueStart = value.baseAddress,
            nameStart == next, valueStart > nameStart + name.count, valueStart + value.count < end
        else { return areWellFormed = false }
        next = valueStart + value.count
        endLine()
        headers.add(Self.text(name[...]), Self.text(Self.withoutBlanks(value)))
    }

    /// The library cuts the blanks before a value, but not those behind it.
    private static func withoutBlanks(_ value: UnsafeBufferPointer<CChar>) -> Slice<UnsafeBufferPointer<CChar>> {
        var value = value[...]
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return value
    }

    /// Bytes that are no UTF-8 become U+FFFD.
    private static func text(_ bytes: Slice<UnsafeBufferPointer<CChar>>) -> String {
        String(decoding: UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes)), as: UTF8.self)
    }
}

private func takeHeaderLine(
    context: UnsafeMutableRawPointer?, kind: MHD_ValueKind, name: UnsafePointer<CChar>?, nameLength: Int,
    value: UnsafePointer<CChar>?, valueLength: Int
) -> MHD_Result {
    guard let context else { return .NO }
    context.assumingMemoryBound(to: HeaderLines.self).pointee.take(
        name: UnsafeBufferPointer(start: name, count: nameLength),
        value: UnsafeBufferPointer(start: value, count: valueLength))
    return .YES
}
