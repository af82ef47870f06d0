package import Messages
internal import Synchronization

/// What callers may do in a minute, over all edges together; those without a token choose their own ids, so their address
/// counts too.
///
/// Each edge begins with an equal share of what is left to a caller, and goes on with what the others tell
/// (``EdgeCounts``). Over any five minutes a limit holds within a quarter, however a caller's writes are spread over the
/// edges, as long as they hear of each other within a second and are fewer than the limit.
package final class CallerLimits: Sendable {
    /// Each a minute.
    package struct Rates: Sendable, Equatable {
        /// Writes with a device token, of one organisation.
        package var organisation: Int
        /// Writes of one device with a token: one noisy phone does not silence its organisation.
        package var attestedDevice: Int
        /// Writes of one device without a token.
        package var device: Int
        /// Writes from one client address without a token.
        package var address: Int
        /// Different users that one app names without a token.
        package var users: Int

        package init(
            organisation: Int = 240, attestedDevice: Int = 60, device: Int = 30, address: Int = 300, users: Int = 1000
        ) {
            self.organisation = organisation
            self.attestedDevice = attestedDevice
            self.device = device
            self.address = address
            self.users = users
        }
    }

    /// Which of them; the text is its name between edges and in metrics.
    package enum Limit: String, Sendable, CaseIterable {
        case organisation, device, address, users
        case attestedDevice = "attested_device"
    }

    /// What was exceeded, and for how long.
    package struct Excess: Sendable, Equatable {
        package let limit: Limit
        /// Whole seconds, at least 1, until it may be tried again.
        package let seconds: Int

        package init(limit: Limit, seconds: Int) {
            self.limit = limit
            self.seconds = seconds
        }
    }

    /// One write, as far as limits are concerned.
    package struct Write: Sendable {
        package let caller: Caller
        package let app: AppID
        package let user: AppUserID
        /// Stands for the device; without it, user and address together do.
        package let install: String?
        /// As ``ClientAddresses`` tells it.
        package let address: String

        package init(caller: Caller, app: AppID, user: AppUserID, install: String?, address: String) {
            self.caller = caller
            self.app = app
            self.user = user
            self.install = install
            self.address = address
        }
    }

    /// This run of this edge.
    package let edge: String
    private let rates: Rates
    private let counts = Mutex(SharedCounts())
    private let milliseconds: @Sendable () -> Int64

    /// - Parameters:
    ///   - edge: names this run among the edges.
    ///   - milliseconds: a clock that never goes back, from 0.
    package init(_ rates: Rates, edge: String, milliseconds: @escaping @Sendable () -> Int64) {
        self.rates = rates
        self.edge = edge
        self.milliseconds = milliseconds
    }

    // MARK: For callers

    /// Why `write` may not be done now; nil: it is counted and may.
    ///
    /// - Parameter own: limits of its app, where they are not the installation's.
    package func admit(_ write: Write, own: AppLimits? = nil) -> Excess? {
        admit(counts(of: write, own))
    }

    /// Why nobody at this address may do anything now; nil: it is counted and may be done.
    package func admit(address: String) -> Excess? {
        admit([
            SharedCounts.Count(
                limit: .address, hash: CallerHash(Limit.address.rawValue, address), rate: rates.address)
        ])
    }

    private func admit(_ counts: [SharedCounts.Count]) -> Excess? {
        let time = milliseconds()
        return self.counts.withLock { $0.admit(counts, at: time) }
    }

    /// Why `app` may not name yet another user now; nil: this one is counted and may be named.
    package func admit(user: AppUserID, of app: AppRecord) -> Excess? {
        let appHash = CallerHash(Limit.users.rawValue, app.organisation.rawValue, app.app.rawValue)
        let userHash = CallerHash(user.rawValue)
        let limit = app.limits?.usersPerMinute ?? rates.users
        let time = milliseconds()
        return counts.withLock { $0.name(userHash, of: appHash, limit: limit, at: time) }
    }

    /// An app with a limit of its own has a counter of its own.
    private func counts(of write: Write, _ own: AppLimits?) -> [SharedCounts.Count] {
        func count(_ limit: Limit, _ rate: Int, _ parts: String...) -> SharedCounts.Count {
            SharedCounts.Count(limit: limit, hash: CallerHash([limit.rawValue] + parts), rate: rate)
        }
        if case .attested(let device) = write.caller {
            return [
                count(
                    .attestedDevice, rates.attestedDevice, device.organisation.rawValue, device.app.rawValue,
                    device.keyID.rawValue),
                own?.attestedPerMinute.map {
                    count(.organisation, $0, device.organisation.rawValue, device.app.rawValue)
                } ?? count(.organisation, rates.organisation, device.organisation.rawValue),
            ]
        }
        let device = own?.devicePerMinute ?? rates.device
        return [
            own?.addressPerMinute.map { count(.address, $0, write.address, write.app.rawValue) }
                ?? count(.address, rates.address, write.address),
            write.install.map { count(.device, device, write.app.rawValue, $0) }
                ?? count(.device, device, write.app.rawValue, write.user.rawValue, write.address),
        ]
    }

    // MARK: For the other edges

    /// How many edges there are, this one included, as far as it knows.
    package var edges: Int {
        let time = milliseconds()
        return counts.withLock { $0.edges(at: time) }
    }

    /// What there is to tell them; nil: nothing. Once a second, and at once where ``hear(_:)`` says so.
    package func report() -> EdgeCounts? {
        let time = milliseconds()
        return counts.withLock { $0.report(of: edge, at: time) }
    }

    /// What follows from what another edge has told.
    package struct Consequence: Sendable, Equatable {
        /// What it tells of the time before is for this edge.
        package var isTaught = false
        /// It has just come: the sooner it is told, the better.
        package var hasToTell = false
    }

    /// Takes in what an edge tells, this one included.
    @discardableResult
    package func hear(_ report: EdgeCounts) -> Consequence {
        let time = milliseconds()
        return counts.withLock { $0.hear(report, at: edge, time) }
    }
}
