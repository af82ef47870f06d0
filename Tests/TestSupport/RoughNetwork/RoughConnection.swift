import Foundation
import Synchronization

/// One connection through a ``RoughNetwork``: a thread for each direction.
final class RoughConnection: Sendable {
    enum Deed { case cut, halfClose, ended }

    /// One way through it, and the bytes after which something happens to it.
    private struct Direction: Sendable {
        let source: Int32
        let target: Int32
        let cutAfter: Int?
        let halfCloseAfter: Int?
        let seed: UInt64
    }

    private let client: Int32
    private let server: Int32
    private let weather: RoughNetwork.Weather
    private let silence: Silence
    private let tell: @Sendable (Deed) -> Void
    private let directions: [Direction]
    private struct State {
        /// Threads that have not ended; the sockets are closed by the last one, so that no number is used again before.
        var running = 2
        var isReset = false
    }
    private let state = Mutex(State())

    init(
        client: Int32, server: Int32, _ weather: RoughNetwork.Weather, seed: UInt64, silence: Silence,
        tell: @escaping @Sendable (Deed) -> Void
    ) {
        self.client = client
        self.server = server
        self.weather = weather
        self.silence = silence
        self.tell = tell
        var dice = SeededGenerator(seed: seed)
        func drawn(_ range: ClosedRange<Int>?) -> Int? { range.map { Int.random(in: $0, using: &dice) } }
        directions = [
            Direction(
                source: client, target: server, cutAfter: drawn(weather.cutAfter),
                halfCloseAfter: drawn(weather.halfCloseAfter), seed: dice.next()),
            Direction(
                source: server, target: client, cutAfter: drawn(weather.cutAfter), halfCloseAfter: nil,
                seed: dice.next()),
        ]
        for descriptor in [client, server] {
            var yes: Int32 = 1
            // A piece is a packet.
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
            // Whoever reads nothing any more must not keep a thread for ever.
            var limit = timeval(tv_sec: 10, tv_usec: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    func start() {
        for direction in directions { Thread { self.pass(direction) }.start() }
    }

    /// Ends it as a crash does: neither side hears more than that it is gone.
    func reset() {
        state.withLock { state in
            // Once the last thread has closed them the numbers may be somebody else's.
            guard state.running > 0 else { return }
            state.isReset = true
            for descriptor in [client, server] {
                // Closed with bytes thrown away: a reset in the place of an orderly end.
                var option = linger(l_onoff: 1, l_linger: 0)
                setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
                shutdown(descriptor, Int32(SHUT_RD))
            }
        }
    }

    private func pass(_ direction: Direction) {
        var dice = SeededGenerator(seed: direction.seed)
        var passed = 0
        var buffer = [UInt8](repeating: 0, count: 16_384)
        reading: while true {
            let count = read(direction.source, &buffer, buffer.count)
            guard count > 0 else { break }
            if let delay = weather.delay { Self.rest(Self.drawn(from: delay, &dice)) }
            var rest = buffer[..<count]
            while !rest.isEmpty {
                silence.wait()
                var piece = min(rest.count, weather.pieces.map { Int.random(in: $0, using: &dice) } ?? rest.count)
                let ends = [direction.cutAfter, direction.halfCloseAfter].compactMap(\.self).map { $0 - passed }
                piece = ends.filter { $0 > 0 }.reduce(max(1, piece), min)
                guard Self.write(rest.prefix(piece), to: direction.target) else { break reading }
                passed += piece
                rest = rest.dropFirst(piece)
                if let end = direction.cutAfter, passed >= end {
                    tell(.cut)
                    reset()
                    break reading
                }
                if let end = direction.halfCloseAfter, passed >= end {
                    tell(.halfClose)
                    break reading
                }
            }
        }
        let isLast = state.withLock { state in
            // The other side learns that nothing more comes, and may go on speaking. A reset says nothing before it.
            if !state.isReset {
                shutdown(direction.target, Int32(SHUT_WR))
                shutdown(direction.source, Int32(SHUT_RD))
            }
            state.running -= 1
            if state.running == 0 {
                close(client)
                close(server)
            }
            return state.running == 0
        }
        if isLast { tell(.ended) }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard written > 0 else { return false }
            rest = rest.dropFirst(written)
        }
        return true
    }

    private static func drawn(from range: ClosedRange<Duration>, _ dice: inout SeededGenerator) -> Duration {
        let low = range.lowerBound / .microseconds(1)
        let high = range.upperBound / .microseconds(1)
        return .microseconds(Double.random(in: low...high, using: &dice))
    }

    /// On a thread of its own: a slow network is what is asked for.
    private static func rest(_ duration: Duration) { Thread.sleep(forTimeInterval: duration / .seconds(1)) }
}
