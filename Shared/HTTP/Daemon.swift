internal import CMicroHTTPD
internal import Glibc

/// The library's server: one thread that polls all sockets, from `init` to `deinit`.
///
/// The callbacks below run on that thread. None of them waits for anything.
final class Daemon: Sendable {
    // Sendable by hand: the two functions that take it may be called from any thread.
    private nonisolated(unsafe) let handle: OpaquePointer
    /// The callbacks hold it without counting: it must live as long as they can be called.
    private let core: ServerCore

    init(listeningAt socket: consuming ListeningSocket, port: UInt16, core: ServerCore) throws(HTTPServerError) {
        let configuration = core.configuration
        var options = mhd_shim_options(
            listening_socket: socket.release(),
            connection_limit: UInt32(clamping: configuration.maxConnections),
            connection_limit_per_address: UInt32(clamping: configuration.maxConnectionsPerAddress),
            idle_seconds: UInt32(clamping: max(1, configuration.idleTimeout.components.seconds)),
            // The response's headers share the memory with the request's, and each header that is parsed takes a
            // record there: with twice the limit and 8 KiB, a request within it can always be answered.
            connection_memory: configuration.headerLimit * 2 + 8 * 1024,
            context: Unmanaged.passUnretained(core).toOpaque(),
            handle: daemonHandle, begin: daemonBegin, complete: daemonComplete, notify: daemonNotify)
        guard let handle = mhd_shim_start(&options) else {
            throw HTTPServerError(
                operation: "start at", endpoint: "port \(port)", reason: String(cString: strerror(errno)))
        }
        self.handle = handle
        self.core = core
    }

    /// Joins the thread. No connection may be suspended any more, or the library ends the process.
    deinit { MHD_stop_daemon(handle) }

    /// New clients are refused by the kernel from here on; connections that exist go on.
    func stopAccepting() {
        let socket = MHD_quiesce_daemon(handle)
        if socket >= 0 { close(socket) }
    }
}

private func daemonNotify(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        let connection = ServerConnection(DaemonConnection(connection), core: core)
        slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        core.add(connection)
    } else if let known = slot.pointee {
        slot.pointee = nil
        let connection = Unmanaged<ServerConnection>.fromOpaque(known).takeRetainedValue()
        core.remove(connection)
        connection.closed()
    }
}

/// Called once for each request, when its first line has arrived. What it returns is the request's context.
private func daemonBegin(
    context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let connection, let known = mhd_shim_socket_context(connection) else { return nil }
    let length = target.map { strlen($0) } ?? 0
    let bytes = target.map { Array(UnsafeRawBufferPointer(start: $0, count: length)) } ?? []
    Unmanaged<ServerConnection>.fromOpaque(known).takeUnretainedValue().begin(target: bytes)
    return known
}

/// Called when the headers have arrived, for each piece of the body, when all has arrived, and after each resume.
private func daemonHandle(
    context: UnsafeMutableRawPointer?, handle: OpaquePointer?, target: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
    size: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let handle, let known = slot?.pointee, let target, let method, let version, let size else { return .NO }
    let connection = Unmanaged<ServerConnection>.fromOpaque(known).takeUnretainedValue()
    if let data, size.pointee > 0 {
        let piece = UnsafeRawBufferPointer(start: data, count: size.pointee)
        size.pointee = 0
        return connection.receive(piece) ? .YES : .NO
    }
    return connection.proceed { RequestHead(of: handle, method: method, target: target, version: version) } ? .YES : .NO
}

private func daemonComplete(
    context: UnsafeMutableRawPointer?, connection: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    guard let known = slot?.pointee else { return }
    slot?.pointee = nil
    Unmanaged<ServerConnection>.fromOpaque(known).takeUnretainedValue().complete()
}
