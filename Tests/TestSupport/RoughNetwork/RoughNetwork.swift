import Foundation
import Synchronization

/// A TCP proxy that treats connections as a bad network does: delays and tears what passes, cuts connections in the middle
/// of a frame, closes one direction, falls silent. What it does follows from a seed, the connections' numbers and the
/// bytes that have passed, so that a failing run can be run again.
public final class RoughNetwork: Sendable {
    /// What it does to connections; the plain one passes everything on.
    public struct Weather: Sendable {
        /// How long what was read is held back; nil: not at all.
        public var delay: ClosedRange<Duration>?
        /// How many bytes are passed on at once; nil: what was read.
        public var pieces: ClosedRange<Int>?
        /// After how many bytes of one direction a connection is reset; nil: never.
        public var cutAfter: ClosedRange<Int>?
        /// After how many bytes from the client its direction is closed, while the other one goes on; nil: never.
        public var halfCloseAfter: ClosedRange<Int>?

        /// Passes everything on unless told otherwise.
        public init(
            delay: ClosedRange<Duration>? = nil, pieces: ClosedRange<Int>? = nil, cutAfter: ClosedRange<Int>? = nil,
            halfCloseAfter: ClosedRange<Int>? = nil
        ) {
            self.delay = delay
            self.pieces = pieces
            self.cutAfter = cutAfter
            self.halfCloseAfter = halfCloseAfter
        }
    }

    /// What it has done.
    public struct Deeds: Sendable, Hashable {
        /// Connections that were taken.
        public var connections = 0
        /// Connections that were reset.
        public var cuts = 0
        /// Directions that were closed alone.
        public var halfCloses = 0

        /// So many.
        public init(connections: Int = 0, cuts: Int = 0, halfCloses: Int = 0) {
            self.connections = connections
            self.cuts = cuts
            self.halfCloses = halfCloses
        }
    }

    struct State {
        var weather: Weather
        var deeds = Deeds()
        var connections: [Int: RoughConnection] = [:]
        var isStopped = false
    }

    /// Where it listens, on 127.0.0.1.
    public let port: Int
    private let targets: [Int]
    private let seed: UInt64
    private let listener: Int32
    private let state: Mutex<State>
    private let silence = Silence()

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - target: the port on 127.0.0.1 to which connections are passed on.
    ///   - seed: from which follows what happens to them.
    public convenience init(to target: Int, _ weather: Weather = Weather(), seed: UInt64) throws {
        try self.init(to: [target], weather, seed: seed)
    }

    /// Begins to listen, as a balancer in front of several.
    ///
    /// - Parameters:
    ///   - targets: the ports on 127.0.0.1 to which connections are passed on in turn, and past those where nobody listens.
    ///   - seed: from which follows what happens to them.
    public init(to targets: [Int], _ weather: Weather = Weather(), seed: UInt64) throws {
        (listener, port) = try Self.listen()
        self.targets = targets
        self.seed = seed
        state = Mutex(State(weather: weather))
        let thread = Thread { [weak self, listener] in
            while true {
                let client = accept(listener, nil, nil)
                // The listener was shut down.
                guard client >= 0 else { break }
                guard let self else {
                    close(client)
                    break
                }
                self.take(client)
            }
            close(listener)
        }
        thread.start()
    }

    deinit { stop() }

    /// What it has done so far.
    public var deeds: Deeds { state.withLock { $0.deeds } }

    /// How many connections there are.
    public var connectionCount: Int { state.withLock { $0.connections.count } }

    /// From the next connection on; those that are there keep what they have.
    public func set(_ weather: Weather) { state.withLock { $0.weather = weather } }

    /// Nothing passes any more, in either direction, and nobody is told: as when a cable is cut.
    public func fallSilent() { silence.begin() }

    /// What waited passes.
    public func speakAgain() { silence.end() }

    /// Resets every connection.
    public func cutAll() {
        let connections = state.withLock { state in
            state.deeds.cuts += state.connections.count
            return Array(state.connections.values)
        }
        for connection in connections { connection.reset() }
    }

    /// Takes no more connections, and resets those that are there.
    public func stop() {
        let connections = state.withLock { state in
            defer { state.isStopped = true }
            return state.isStopped ? nil : Array(state.connections.values)
        }
        guard let connections else { return }
        shutdown(listener, Int32(SHUT_RDWR))
        silence.end()
        for connection in connections { connection.reset() }
    }

    private func take(_ client: Int32) {
        let turn = state.withLock { $0.deeds.connections } % max(1, targets.count)
        guard let server = Self.connect(toFirstOf: targets[turn...] + targets[..<turn]) else {
            close(client)
            return
        }
        state.withLock { state in
            guard !state.isStopped else {
                close(client)
                close(server)
                return
            }
            state.deeds.connections += 1
            let number = state.deeds.connections
            let connection = RoughConnection(
                client: client, server: server, state.weather,
                seed: seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15, silence: silence
            ) { [weak self] deed in
                self?.state.withLock { state in
                    switch deed {
                    case .cut: state.deeds.cuts += 1
                    case .halfClose: state.deeds.halfCloses += 1
                    case .ended: state.connections[number] = nil
                    }
                }
            }
            state.connections[number] = connection
            connection.start()
        }
    }

    private static func listen() throws -> (listener: Int32, port: Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && Foundation.listen(listener, 128) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard listener >= 0, isBound else { throw TestFailure("no port: \(String(cString: strerror(errno)))") }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func connect(toFirstOf ports: ArraySlice<Int>) -> Int32? {
        for port in ports {
            if let server = connect(to: port) { return server }
        }
        return nil
    }

    private static func connect(to port: Int) -> Int32? {
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(server)
            return nil
        }
        return server
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(clamping: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// Holds everybody up as long as the network is silent.
final class Silence: Sendable {
    private let condition = NSCondition()
    // Sendable by hand: the condition guards it.
    private nonisolated(unsafe) var isSilent = false

    func begin() { set(true) }
    func end() { set(false) }

    func wait() {
        condition.lock()
        while isSilent { condition.wait() }
        condition.unlock()
    }

    private func set(_ value: Bool) {
        condition.lock()
        isSilent = value
        condition.broadcast()
        condition.unlock()
    }
}
