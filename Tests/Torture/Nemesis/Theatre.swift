import Foundation
import HTTPClient
import Messages
import TestSupport

/// The services of a stage as the nemesis has them: each behind a network of its own, and on a disk that can be full.
actor Theatre {
    nonisolated let installation: Installation
    nonisolated let networks: [ServiceName: RoughNetwork]
    private var disks: [ServiceName: SmallDisk] = [:]
    /// Where there are none.
    private(set) var whyNoDisks = "needs root and mkfs.ext4, to mount small disks"
    private var settings: [ServiceName: [String: String]] = [:]
    /// Of a disk: two write-ahead logs, and more than twice what a store keeps of each line.
    private let megabytes: Int

    /// Starts all services anew, behind networks and on small disks that have room for so many lines.
    init(_ installation: Installation, seed: UInt64, lines: Int) async throws {
        self.installation = installation
        megabytes = 128 + lines / 8
        networks = try Dictionary(
            uniqueKeysWithValues: Installation.services.enumerated().map { index, service in
                (service, try RoughNetwork(to: installation.ports, seed: seed &+ UInt64(index)))
            })
        for service in Installation.services { try await move(service) }
        for service in Installation.services { try await installation.waitUntilReady(service) }
    }

    /// Only root may mount what can be filled.
    static let hasDisks = getuid() == 0 && FileManager.default.fileExists(atPath: "/usr/sbin/mkfs.ext4")

    private func move(_ service: ServiceName) async throws {
        await installation.stop(service, SIGTERM)
        let address = await installation.address(of: BrokerUser(of: service))
        let port = address.split(separator: ":").last.map(String.init) ?? ""
        var more = [
            "TOLLGATE_BROKER": address.replacing(":\(port)", with: ":\(networks[service]?.port ?? 0)"),
            "TOLLGATE_BROKER_HEARTBEAT": "\(Stage.heartbeat.components.seconds)s",
            // So that what comes before its app is connected dies, and has to be replayed.
            "TOLLGATE_GIVE_UP_AFTER": "1500ms",
        ]
        if Self.hasDisks, service != .attestGateway {
            let folder = installation.folder.appendingPathComponent("disk-\(service)")
            do {
                let disk = try await SmallDisk.mount(at: folder, megabytes: megabytes)
                disks[service] = disk
                let store = disk.folder.appendingPathComponent("store")
                try FileManager.default.copyItem(atPath: installation.storeFolder(of: service), toPath: store.path)
                more["TOLLGATE_STORE"] = store.path
            } catch {
                // A container's root may have no loop devices: all else is done all the same.
                if let disk = disks.removeValue(forKey: service) { await disk.unmount() }
                whyNoDisks = "\(error)"
            }
        }
        settings[service] = more
        try await installation.start(service, more)
    }

    func start(_ service: ServiceName) async throws { try await installation.start(service, settings[service] ?? [:]) }

    /// The settings with which `service` runs.
    func environment(of service: ServiceName) async -> [String: String] {
        await installation.environment(of: service, settings[service] ?? [:])
    }

    func storeFolder(of service: ServiceName) -> String {
        settings[service]?["TOLLGATE_STORE"] ?? installation.storeFolder(of: service)
    }

    func disk(of service: ServiceName) -> SmallDisk? { disks[service] }

    func setWeather(_ weather: RoughNetwork.Weather) {
        for network in networks.values { network.set(weather) }
    }

    /// Nothing is amiss any more.
    ///
    /// - Returns: who had ended by himself, and how.
    func calm() async -> [(ServiceName, Int32)] {
        for service in Installation.services { installation.signal(service, SIGCONT) }
        for network in networks.values {
            network.set(RoughNetwork.Weather())
            network.speakAgain()
            // Those that were made in bad weather keep it.
            network.cutAll()
        }
        for disk in disks.values { try? disk.makeSpace() }
        var ended: [(ServiceName, Int32)] = []
        for service in Installation.services where await installation.hasEnded(service) {
            ended.append((service, await installation.stop(service)))
            try? await start(service)
        }
        return ended
    }

    /// Once the services have ended.
    func end() async {
        for network in networks.values { network.stop() }
        for disk in disks.values { await disk.unmount() }
    }
}
