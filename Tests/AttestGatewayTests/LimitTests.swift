import AttestGateway
import HTTP
import HTTPClient
import Messages
import ServiceKit
import Synchronization
import TestSupport
import Testing

@Suite("Limits")
struct LimitTests {
    /// One limit at one edge.
    struct Single {
        private var table: RateTable
        private let limit: Int

        init(_ limit: Int, capacity: Int = 100_000) {
            self.limit = limit
            table = RateTable(capacity: capacity)
        }

        var counters: Int { table.counters }
        mutating func wait(for key: UInt64, at time: Int64) -> Int? {
            table.wait(for: CallerHash(key), limit: limit, edges: 1, at: time)
        }
        mutating func count(_ key: UInt64, at time: Int64) {
            table.count(CallerHash(key), limit: limit, edges: 1, at: time)
        }
    }

    /// One limit of users at one edge.
    struct SingleUsers {
        private var users: DistinctUsers
        private let limit: Int

        init(_ limit: Int, capacity: Int = 100_000) {
            self.limit = limit
            users = DistinctUsers(capacity: capacity)
        }

        mutating func name(_ user: UInt64, of app: UInt64, at time: Int64) -> Int? {
            users.name(CallerHash(user), of: CallerHash(app), limit: limit, edges: 1, at: time)
        }
    }

    @Test("A key may do it as often as the limit says, then waits as long as it is told, and may again")
    func limit() {
        var table = Single(30)
        for _ in 0..<30 {
            #expect(table.wait(for: 1, at: 61_000) == nil)
            table.count(1, at: 61_000)
        }

        let wait = table.wait(for: 1, at: 61_000)

        #expect(wait == 60)
        #expect(table.wait(for: 1, at: 61_000 + 58_000) != nil)
        #expect(table.wait(for: 1, at: 61_000 + Int64(wait ?? 0) * 1000) == nil)
        #expect(table.wait(for: 2, at: 61_000) == nil)
    }

    @Test("Whoever waits as told is let through, whatever came before", arguments: [1, 2, 30, 300])
    func waitIsEnough(limit: Int) {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var table = Single(limit)
        var time: Int64 = 0
        for _ in 0..<2_000 {
            time += Int64.random(in: 0...(120_000 / Int64(limit)), using: &random)
            if let wait = table.wait(for: 7, at: time) {
                #expect((1...120).contains(wait), "seed \(seed)")
                time += Int64(wait) * 1000
                #expect(table.wait(for: 7, at: time) == nil, "seed \(seed)")
            }
            table.count(7, at: time)
        }
    }

    @Test("Over any five minutes the limit holds within a quarter")
    func fiveMinutes() {
        var table = Single(30)
        var admitted: [Int64] = []
        // Somebody who tries all the time.
        for time in stride(from: Int64(0), to: 900_000, by: 50) where table.wait(for: 1, at: time) == nil {
            table.count(1, at: time)
            admitted.append(time)
        }
        for start in stride(from: Int64(0), to: 600_000, by: 1_000) {
            let count = admitted.count { (start..<start + 300_000).contains($0) }
            #expect((113...187).contains(count), "from \(start): \(count)")
        }
    }

    @Test("However many keys come, the counters stay within their bound, and strangers still are limited")
    func bounded() {
        var table = Single(3, capacity: 1_000)
        var admitted = 0
        for key in UInt64(10_000)..<110_000 where table.wait(for: key, at: 0) == nil {
            table.count(key, at: 0)
            admitted += 1
        }

        #expect(table.counters <= 1_000 + 1_024)
        #expect(admitted <= 1_000 + 1_024 * 3)
        // Who was known before is not disturbed.
        #expect(table.wait(for: 10_000, at: 0) == nil)
    }

    @Test("An app names so many users a minute; those of this minute and the last go on")
    func distinctUsers() {
        var users = SingleUsers(100)
        for user in UInt64(0)..<100 { #expect(users.name(user, of: 1, at: 0) == nil) }

        #expect(users.name(100, of: 1, at: 0) == 60)
        #expect(users.name(99, of: 1, at: 0) == nil)
        #expect(users.name(100, of: 2, at: 0) == nil)
        // The next minute: the old ones return at once, new ones as the last minute fades.
        for user in UInt64(0)..<100 { #expect(users.name(user, of: 1, at: 60_000) == nil) }
        #expect(users.name(200, of: 1, at: 60_000) != nil)
        #expect(users.name(200, of: 1, at: 180_000) == nil)
    }

    /// When somebody names users whom nobody has named before, in milliseconds of each minute.
    enum Haste: String, CaseIterable, Sendable {
        /// All the time.
        case steady
        /// As late in each minute as can be, when all that was named in the last one has faded.
        case late
        /// Just before a minute ends and just after.
        case around
        /// Late in one minute, early in the next, in turn.
        case swinging

        func names(at time: Int64) -> Bool {
            let (minute, part) = (time / 60_000, time % 60_000)
            return switch self {
            case .steady: true
            case .late: part >= 59_500
            case .around: part >= 59_500 || part < 500
            case .swinging: minute % 2 == 0 ? part >= 59_500 : part < 500
            }
        }
    }

    @Test(
        "Over any five minutes no more than a quarter beyond the limit are new, however they come",
        arguments: Haste.allCases)
    func usersOverFiveMinutes(haste: Haste) {
        let limit = 100
        var users = SingleUsers(limit)
        var log = AdmissionLog()
        var user: UInt64 = 0

        for time in stride(from: Int64(0), to: 900_000, by: 25) where haste.names(at: time) {
            for _ in 0..<10 {
                user += 1
                guard users.name(user, of: 1, at: time) == nil else { break }
                log.note(time)
            }
        }

        let parts = log.parts(of: limit, from: 0, to: 900_000)
        #expect(parts.upperBound <= 1.25, "\(parts)")
        // Who is there all the time gets what he may.
        #expect(haste != .steady || parts.lowerBound >= 0.75, "\(parts)")
    }

    @Test("A new user is admitted again as the minute before fades")
    func fading() {
        var users = SingleUsers(100)
        for user in UInt64(0)..<100 { _ = users.name(user, of: 1, at: 0) }

        #expect(users.name(200, of: 1, at: 60_000) != nil)
        #expect(users.name(200, of: 1, at: 90_000) == nil)
    }

    @Test("Users are remembered up to a bound over all apps")
    func usersBounded() {
        var users = SingleUsers(100, capacity: 50)
        for user in UInt64(0)..<50 { #expect(users.name(user, of: user % 5, at: 0) == nil) }

        #expect(users.name(77, of: 1, at: 0) != nil)
        #expect(users.name(77, of: 1, at: 60_000) == nil)
    }

    @Test("A device is its install id; without one, user and address together")
    func devices() {
        let limits = CallerLimits(.init(device: 1, address: 100, users: 100), edge: "e") { 0 }
        func admit(_ install: String?, _ user: AppUserID, _ address: String) -> Bool {
            limits.admit(.unattested(install, user, address)) == nil
        }

        #expect(admit("i1", "u1", "1.1.1.1"))
        #expect(!admit("i1", "u2", "2.2.2.2"))
        #expect(admit("i2", "u1", "1.1.1.1"))
        #expect(admit(nil, "u1", "1.1.1.1"))
        #expect(!admit(nil, "u1", "1.1.1.1"))
        #expect(admit(nil, "u1", "2.2.2.2"))
        #expect(admit(nil, "u2", "1.1.1.1"))
    }

    @Test("An address is limited, whatever ids come from it; what is refused is not counted")
    func addresses() {
        let time = Mutex<Int64>(0)
        let limits = CallerLimits(.init(device: 100, address: 10, users: 100), edge: "e") { time.withLock { $0 } }
        let waits = (0..<20).map {
            limits.admit(.unattested("i\($0)", "u", "1.1.1.1"))
        }

        #expect(waits.prefix(10).allSatisfy { $0 == nil })
        #expect(waits.suffix(10).allSatisfy { $0 == .init(limit: .address, seconds: 61) })
        time.withLock { $0 = 61_000 }
        #expect(limits.admit(.unattested("j", "u", "1.1.1.1")) == nil)
    }
}

extension CallerLimits.Write {
    /// Of a caller without a token.
    static func unattested(_ install: String?, _ user: AppUserID, _ address: String, app: AppID = "a") -> Self {
        Self(caller: .unattested, app: app, user: user, install: install, address: address)
    }

    /// Of a device with a token; `device` stands for its key.
    static func attested(_ device: UInt8, _ organisation: OrganisationID = "acme", app: AppID = "a") -> Self {
        let device = AttestedDevice(
            organisation: organisation, app: app, keyID: DeviceKeyID(rawValue: "device-\(device)"))
        return Self(caller: .attested(device), app: app, user: "u", install: nil, address: "1.1.1.1")
    }
}
