import Foundation
import HTTPClient
import Messages
import Testing
import TestSupport

extension EndToEnd {
    @Suite("A full disk", .serialized)
    struct FullDiskTests {
        static let canMount = getuid() == 0 && FileManager.default.fileExists(atPath: "/usr/sbin/mkfs.ext4")

        @Test(
            "A store without space pauses its service and charges nothing to the messages; with space it goes on",
            .enabled(if: canMount, "needs root, to mount a small file system"))
        func fullDisk() async throws {
            let installation = try await Installation.start()
            let load = try PurchaseLoad(300, seed: 41, signedBy: installation.authority)
            let service = ServiceName.receiptValidator
            await installation.stop(service, SIGTERM)
            let disk = try await SmallDisk.mount(at: installation.folder.appendingPathComponent("disk"), megabytes: 12)
            let store = disk.folder.appendingPathComponent("store")
            try FileManager.default.copyItem(atPath: installation.storeFolder(of: service), toPath: store.path)
            try await installation.start(service, ["TOLLGATE_STORE": store.path])
            try await installation.waitUntilReady(service)

            try disk.fill()
            try await load.send(to: installation)
            let isPaused = await eventually { await !installation.isReady(service) }
            #expect(isPaused, "readiness says nothing of a full disk")
            let readiness = try await installation.readiness(of: service)
            #expect(readiness.text.contains("paused"), "\(readiness.text)")

            try disk.makeSpace()
            try await installation.waitUntilReady(service)
            try await load.expectApplied(in: installation)
            let report = try await installation.reconciliation()
            #expect(!report.contains("reasons"), "\(report)")
            await installation.stop(service, SIGTERM)
            await disk.unmount()
            await installation.tearDown()
        }
    }
}
