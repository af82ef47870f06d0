internal import CMicroHTTPD
internal import Glibc

/// The library's handle of one connection. The library frees it; whoever calls anything here knows that it has not
/// yet: the daemon's thread until it said "closed", any other thread only while the connection is suspended.
// Sendable by hand: the rule above.
struct DaemonConnection: @unchecked Sendable {
    private let handle: OpaquePointer
    private let socket: Int32
    let peer: PeerAddress

    init(_ handle: OpaquePointer) {
        self.handle = handle
        socket = mhd_shim_socket(handle)
        peer = mhd_shim_peer(handle).map(PeerAddress.init(copying:)) ?? .unknown
    }

    // MARK: On the daemon's thread

    /// Sets the connection aside: the library neither reads, writes nor times it until ``resume()``.
    func suspend() { MHD_suspend_connection(handle) }

    /// Whether the library took the response.
    func queue(_ response: Response, defaults: [HTTPHeaders], closing: Bool) -> Bool {
        let hasBody = response.status != .noContent && response.status != .notModified
        let made = response.body.withUnsafeBytes { body in
            // The library copies; it asks for a mutable pointer because it could also take ownership.
            MHD_create_response_from_buffer(
                hasBody ? body.count : 0, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
        }
        guard let made else { return false }
        defer { MHD_destroy_response(made) }
        // A field that would split the response is left out by the library.
        for field in response.headers.fields { MHD_add_response_header(made, field.name, field.value) }
        for defaults in defaults {
            for field in defaults.fields where response.headers[field.name] == nil {
                MHD_add_response_header(made, field.name, field.value)
            }
        }
        if closing { MHD_add_response_header(made, "Connection", "close") }
        let isFinal = (200...999).contains(response.status.rawValue)
        let status = isFinal ? response.status : .internalServerError
        return MHD_queue_response(handle, UInt32(status.rawValue), made) == .YES
    }

    /// Sends `response` past the library, which cannot refuse a body that it is already reading. The caller then has
    /// the library close the connection. Nothing else has been sent for this request, and what does not fit into
    /// the socket's buffer is lost.
    func sendNow(_ response: Response) {
        let phrase = String(cString: MHD_get_reason_phrase_for(UInt32(clamping: response.status.rawValue)))
        var text = "HTTP/1.1 \(response.status) \(phrase)\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        text += "Content-Length: \(response.body.count)\r\nConnection: close\r\n\r\n"
        let bytes = Array(text.utf8) + response.body
        _ = send(socket, bytes, bytes.count, Int32(MSG_DONTWAIT | MSG_NOSIGNAL))
    }

    /// Lets the client read its answer, though it has more to send: when the library is about to close the socket.
    func linger() { LingeringClose.begin(on: socket) }

    // MARK: On any thread

    /// Has the library call again. Only once for each ``suspend()``.
    func resume() { MHD_resume_connection(handle) }

    /// Ends the connection as if the client had. The library has not closed the socket: see the caller's lock.
    func cut() { shutdown(socket, Int32(SHUT_RDWR)) }
}
