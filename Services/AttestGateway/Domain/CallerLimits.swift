package import Messages
internal import Synchronization

/// What callers without a device token may do in a minute; they choose their own ids, so their address counts too.
package final class CallerLimits: Sendable {
    /// Each a minute.
    package struct Rates: Sendable, Equatable {
        /// Writes of one device.
        package var device: Int
        /// Writes from one client address.
        package var address: Int
        /// Different users that one app names.
        package var users: Int

        package init(device: Int = 30, address: Int = 300, users: Int = 1000) {
            self.device = device
            self.address = address
            self.users = users
        }
    }

    /// What was exceeded, and for how long.
    package struct Excess: Sendable, Equatable {
        /// Which of them.
        package enum Limit: String, Sendable, CaseIterable {
            case device, address, users
        }

        package let limit: Limit
        /// Whole seconds, at least 1, until it may be tried again.
        package let seconds: Int

        package init(limit: Limit, seconds: Int) {
            self.limit = limit
            self.seconds = seconds
        }
    }

    private struct State {
        var devices: RateTable
        var addresses: RateTable
        var users: DistinctUsers
    }

    private let state: Mutex<State>
    private let milliseconds: @Sendable () -> Int64

    /// - Parameter milliseconds: a clock that never goes back.
    package init(_ rates: Rates, milliseconds: @escaping @Sendable () -> Int64) {
        state = Mutex(
            State(
                devices: RateTable(limit: rates.device), addresses: RateTable(limit: rates.address),
                users: DistinctUsers(limit: rates.users)))
        self.milliseconds = milliseconds
    }

    /// Why this device, or anybody at this address, may not write now; nil: it is counted and may.
    ///
    /// - Parameters:
    ///   - install: stands for the device; without it, user and address together do.
    ///   - address: as ``ClientAddresses`` tells it.
    package func admit(app: AppID, install: String?, user: AppUserID, address: String) -> Excess? {
        let device = install.map { Self.hash(app.rawValue, $0) } ?? Self.hash(app.rawValue, user.rawValue, address)
        let address = Self.hash(address)
        let time = milliseconds()
        return state.withLock { state in
            if let seconds = state.addresses.wait(for: address, at: time) {
                return Excess(limit: .address, seconds: seconds)
            }
            if let seconds = state.devices.wait(for: device, at: time) {
                return Excess(limit: .device, seconds: seconds)
            }
            state.addresses.count(address, at: time)
            state.devices.count(device, at: time)
            return nil
        }
    }

    /// Why nobody at this address may do anything now; nil: it is counted and may be done.
    package func admit(address: String) -> Excess? {
        let address = Self.hash(address)
        let time = milliseconds()
        return state.withLock { state in
            if let seconds = state.addresses.wait(for: address, at: time) {
                return Excess(limit: .address, seconds: seconds)
            }
            state.addresses.count(address, at: time)
            return nil
        }
    }

    /// Why `app` may not name yet another user now; nil: this one is counted and may be named.
    package func admit(user: AppUserID, of app: AppRecord) -> Excess? {
        let appHash = Self.hash(app.organisation.rawValue, app.app.rawValue)
        let userHash = Self.hash(user.rawValue)
        let time = milliseconds()
        return state.withLock { $0.users.name(userHash, of: appHash, at: time) }
            .map { Excess(limit: .users, seconds: $0) }
    }

    private static func hash(_ texts: String...) -> UInt64 {
        // Swift seeds it anew in every process.
        var hasher = Hasher()
        for text in texts { hasher.combine(text) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
