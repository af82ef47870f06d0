internal import CRabbitMQ
internal import Glibc
import Messages
import Messaging
import ServiceKit

/// One connection to a broker, by librabbitmq. Belongs to one thread, and is freed with its last reference.
///
/// Nothing in here waits, except opening, closing in order, and a send for which the socket has no room.
final class Connection {
    /// What came in.
    enum Frame {
        case method(channel: UInt16, Method)
        /// Begins a message: so many bytes of body follow.
        case header(channel: UInt16, bodySize: UInt64, MessageProperties)
        case body(channel: UInt16, [UInt8])
    }

    private let state: OpaquePointer
    /// The login.
    let user: String
    private var encoder = PropertyEncoder()

    private init(owning state: OpaquePointer, user: String) {
        self.state = state
        self.user = user
    }

    deinit { amqp_destroy_connection(state) }

    /// Connects and logs in; waits for up to `patience` for each.
    ///
    /// - Parameter name: shown in the broker's management pages.
    static func open(
        _ settings: BrokerSettings, name: String, patience: Duration = .seconds(5)
    ) throws(BrokerError) -> Connection {
        guard let state = amqp_new_connection() else { throw .disconnected("no memory for a connection") }
        let connection = Connection(owning: state, user: settings.address.user)
        try connection.connect(settings, patience)
        try connection.logIn(settings, name: name)
        return connection
    }

    /// The socket, to wait upon.
    var descriptor: Int32 { amqp_get_sockfd(state) }

    /// Whether frames have come in that lie inside the library, where poll(2) does not see them: sending and asking read
    /// as well.
    var hasMore: Bool { amqp_frames_enqueued(state) != 0 || amqp_data_in_buffer(state) != 0 }

    /// The largest property list that fits into a header frame.
    var largestProperties: Int { Int(amqp_get_frame_max(state)) - 8 - 14 }

    /// Whether a send would not wait.
    var isWritable: Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    // MARK: Opening

    private func connect(_ settings: BrokerSettings, _ patience: Duration) throws(BrokerError) {
        let address = settings.address
        let socket = address.usesTLS ? amqp_ssl_socket_new(state) : amqp_tcp_socket_new(state)
        guard let socket else { throw .disconnected("no memory for a socket") }
        if address.usesTLS { try secure(socket, settings.tls) }
        var time = timeval(patience)
        amqp_set_handshake_timeout(state, &time)
        amqp_set_rpc_timeout(state, &time)
        let status = amqp_socket_open_noblock(socket, address.host, Int32(address.port), &time)
        guard status == AMQP_STATUS_OK.rawValue else {
            let hint =
                status == AMQP_STATUS_SSL_PEER_VERIFY_FAILED.rawValue
                ? "; its certificate is not vouched for by \(settings.tls.authority ?? "the system's authorities")" : ""
            throw .disconnected("\(address): \(Self.text(of: status))\(hint)")
        }
    }

    private func secure(_ socket: OpaquePointer, _ files: TLSFiles) throws(BrokerError) {
        amqp_ssl_socket_set_verify_peer(socket, 1)
        amqp_ssl_socket_set_verify_hostname(socket, 1)
        amqp_ssl_socket_set_ssl_versions(socket, AMQP_TLSv1_2, AMQP_TLSvLATEST)
        // Without a file the library trusts nobody; this is Debian's bundle.
        let authority = files.authority ?? "/etc/ssl/certs/ca-certificates.crt"
        guard amqp_ssl_socket_set_cacert(socket, authority) == AMQP_STATUS_OK.rawValue else {
            throw .disconnected("\(authority) is no readable PEM file of certificates")
        }
        guard let certificate = files.certificate, let key = files.key else { return }
        guard amqp_ssl_socket_set_key(socket, certificate, key) == AMQP_STATUS_OK.rawValue else {
            throw .disconnected("\(certificate) and \(key) are no certificate and its key in PEM")
        }
    }

    private func logIn(_ settings: BrokerSettings, name: String) throws(BrokerError) {
        // Without these two the broker would block or cancel without a word.
        let capabilities = HeaderTable([
            .init(name: "connection.blocked", value: .boolean(true)),
            .init(name: "consumer_cancel_notify", value: .boolean(true)),
        ])
        var properties = encoder.table(
            HeaderTable([
                .init(name: "product", value: .text("Tollgate")),
                .init(name: "connection_name", value: .text(name)),
                .init(name: "capabilities", value: .table(capabilities)),
            ]))
        let heartbeat = Int32(settings.heartbeat.components.seconds)
        let address = settings.address
        let reply = tollgate_amqp_login(
            state, address.virtualHost, AMQP_DEFAULT_FRAME_SIZE, heartbeat, &properties, address.user,
            address.password.revealed)
        encoder.reset()
        defer { amqp_maybe_release_buffers(state) }
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            switch Method(copying: reply.reply) {
            case .connectionClosed(let reason), .channelClosed(let reason): throw reason.error(about: "\(address)")
            default: throw .unexpected("no answer to the login at \(address)")
            }
        default: throw .disconnected("\(address): login: \(Self.text(of: reply.library_error))")
        }
    }

    /// Lets frames be larger than what was agreed upon: to a message whose headers fill a frame the broker adds its own
    /// (`x-death`, `x-delivery-count`), and the library would give up the connection over it. Only for connections that
    /// do not publish, for ours would be too large then as well.
    func acceptLargerFrames() {
        amqp_tune_connection(state, AMQP_DEFAULT_MAX_CHANNELS, 256 << 10, amqp_get_heartbeat(state))
    }

    /// Gives the connection up when what we sent has not been acknowledged by the other end's kernel for so long. Only
    /// for connections that do not publish: a broker that is short of memory rightly reads nothing from those.
    func giveUpUnacknowledged(after duration: Duration) {
        var milliseconds = UInt32(clamping: duration.wholeMilliseconds)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
    }

    /// Gathers what is sent into full segments, until it is told not to any more: a packet for each of many small
    /// messages costs both ends, and the broker most.
    func gather(_ isOn: Bool) {
        var value: Int32 = isOn ? 1 : 0
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &value, 4)
    }

    /// Closes in order; waits for the broker's answer for as long as opening would have.
    func close() { _ = amqp_connection_close(state, AMQP_REPLY_SUCCESS) }

    // MARK: Receiving

    /// The next frame; nil when nothing more has come. Sends heartbeats, and misses the broker's, by the way.
    func receive() throws(BrokerError) -> Frame? {
        var frame = amqp_frame_t()
        var now = timeval()
        let status = amqp_simple_wait_frame_noblock(state, &frame, &now)
        if status == AMQP_STATUS_TIMEOUT.rawValue { return nil }
        guard status == AMQP_STATUS_OK.rawValue else { throw .disconnected(Self.text(of: status)) }
        // The frame lies in the library's memory until here; all of it has been copied then.
        defer { amqp_maybe_release_buffers_on_channel(state, frame.channel) }
        switch Int32(frame.frame_type) {
        case AMQP_FRAME_METHOD: return .method(channel: frame.channel, Method(copying: frame.payload.method))
        case AMQP_FRAME_HEADER:
            let header = frame.payload.properties
            guard let decoded = header.decoded?.assumingMemoryBound(to: amqp_basic_properties_t.self) else { break }
            return .header(
                channel: frame.channel, bodySize: header.body_size, MessageProperties(copying: decoded.pointee))
        case AMQP_FRAME_BODY: return .body(channel: frame.channel, [UInt8](copying: frame.payload.body_fragment))
        default: break
        }
        throw .unexpected("a frame of type \(frame.frame_type)")
    }

    // MARK: Sending

    /// Sends one method.
    func send(_ request: Request, on channel: UInt16) throws(BrokerError) {
        let status = request.withMethod(&encoder) { number, arguments in
            amqp_send_method(state, channel, number, arguments)
        }
        encoder.reset()
        guard status == AMQP_STATUS_OK.rawValue else { throw .disconnected(Self.text(of: status)) }
    }

    /// Sends a message. Its properties have to fit into a frame (``MessageProperties/encodedSize(user:)``).
    func publish(_ publication: Publication, on channel: UInt16) throws(BrokerError) {
        let exchange = encoder.bytes(publication.route.exchange.rawValue)
        let routingKey = encoder.bytes(publication.route.routingKey)
        var properties = encoder.properties(publication.envelope.properties, user: user)
        let status = publication.envelope.body.withUnsafeBytes { body in
            amqp_basic_publish(
                state, channel, exchange, routingKey, publication.isMandatory ? 1 : 0, 0, &properties,
                // The library does not write to it.
                amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress)))
        }
        encoder.reset()
        guard status == AMQP_STATUS_OK.rawValue else { throw .disconnected(Self.text(of: status)) }
    }

    /// Asks on a channel and waits for the answer; only where nothing else can come in on that channel.
    func ask(_ request: Request, on channel: UInt16, awaiting answer: UInt32) throws(BrokerError) {
        let reply = request.withMethod(&encoder) { number, arguments in
            var answers: [UInt32] = [answer, 0]
            return amqp_simple_rpc(state, channel, number, &answers, arguments)
        }
        encoder.reset()
        defer { amqp_maybe_release_buffers_on_channel(state, channel) }
        switch reply.reply_type {
        case AMQP_RESPONSE_NORMAL: return
        case AMQP_RESPONSE_SERVER_EXCEPTION:
            switch Method(copying: reply.reply) {
            case .connectionClosed(let reason), .channelClosed(let reason): throw reason.error(about: request.subject)
            default: throw .unexpected("no answer about \(request.subject)")
            }
        default: throw .disconnected(Self.text(of: reply.library_error))
        }
    }

    private static func text(of status: Int32) -> String { String(cString: amqp_error_string2(status)) }
}

extension timeval {
    fileprivate init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    }
}
