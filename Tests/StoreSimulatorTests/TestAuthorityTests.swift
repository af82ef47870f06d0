import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import Testing

@Suite("Test authority")
struct TestAuthorityTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    @Test("It can be stored for its owner only, and signs again after it was read")
    func folder() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try TestAuthority.make()

        try authority.save(to: folder)
        let again = try TestAuthority(loadingFrom: folder)

        #expect(again.root.der == authority.root.der)
        #expect(try isVerified(again.signTransaction(payload()), under: authority))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["authority.pem", "root.pem"])
        #expect(try permissions("\(folder)/authority.pem") == 0o600)
        #expect(try permissions(folder) == 0o700)
        #expect(try String(contentsOfFile: "\(folder)/root.pem", encoding: .utf8) == authority.rootPEM)
    }

    @Test("What else it signs with is stored too, and is the same after it was read")
    func parts() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try TestAuthority.make()

        try authority.save(to: folder)
        let again = try TestAuthority(loadingFrom: folder)

        let pairs = [
            (try authority.receiptSigner, try again.receiptSigner),
            (try authority.deviceAuthority, try again.deviceAuthority),
            (try authority.attestationReceiptSigner, try again.attestationReceiptSigner),
        ]
        for (before, after) in pairs {
            #expect(after.chain.map(\.der) == before.chain.map(\.der))
            #expect(try after.key.pem == before.key.pem)
            #expect(try OpenSSLTool.ask { try $0.isTrusted(after.chain, root: authority.root, at: Self.now) })
        }
        #expect(try again.purchaseKey.pem == authority.purchaseKey.pem)
    }

    @Test("One that was stored before there were receipts still signs, and signs receipts")
    func older() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let authority = try TestAuthority.make()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let signers = [authority.rootSigner, authority.intermediateSigner, authority.leafSigner]
        let text = try signers.flatMap { [$0.certificate.pem, try $0.key.pem] }.joined()
        try text.write(toFile: "\(folder)/authority.pem", atomically: true, encoding: .utf8)

        let again = try TestAuthority(loadingFrom: folder)
        let receipt = try again.signReceipt(SimulatedReceiptTests.receipt())

        #expect(try isVerified(again.signTransaction(payload()), under: authority))
        #expect(
            try OpenSSLTool.ask { try $0.content(ofSignedData: receipt, root: authority.root, at: Self.now) } != nil)
    }

    @Test("It does not take the place of another one")
    func occupied() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let first = try TestAuthority.make()
        try first.save(to: folder)

        let error = #expect(throws: TestAuthority.FolderError.self) { try TestAuthority.make().save(to: folder) }

        #expect(error?.description == "Cannot make \(folder)/authority.pem: File exists")
        #expect(try TestAuthority(loadingFrom: folder).root.der == first.root.der)
        #expect(try String(contentsOfFile: "\(folder)/root.pem", encoding: .utf8) == first.rootPEM)
    }

    @Test("A folder without one, or with half of one, is an error")
    func damaged() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)").path()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        #expect(throws: (any Error).self) { try TestAuthority(loadingFrom: folder) }
        let authority = try TestAuthority.make()
        try authority.save(to: folder)

        try authority.root.pem.write(toFile: "\(folder)/authority.pem", atomically: true, encoding: .utf8)

        #expect(throws: TestAuthority.FolderError.self) { try TestAuthority(loadingFrom: folder) }
    }

    @Test("Two authorities do not believe each other")
    func strangers() throws {
        let authority = try TestAuthority.make()

        #expect(try !isVerified(try TestAuthority.make().signTransaction(payload()), under: authority))
        #expect(authority.trustRoots.areTest)
    }

    private func payload() -> TransactionPayload {
        var store = SimulatedStore(bundleID: "com.example.app")
        return store.buy(.nonConsumable("unlock"), at: Self.now).latest
    }

    private func isVerified(_ text: String, under authority: TestAuthority) throws -> Bool {
        let verifier = TransactionVerifier(bundleID: "com.example.app", roots: authority.trustRoots)
        if case .verified = try verifier.verify(Array(text.utf8), at: Self.now).verdict { return true }
        return false
    }

    private func permissions(_ path: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
}
