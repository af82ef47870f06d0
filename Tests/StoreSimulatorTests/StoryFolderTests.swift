import Crypto
import Foundation
import JSON
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing

@Suite("Stories in folders")
struct StoryFolderTests {
    @Test("Everything that was signed is in a file of its own, and listed")
    func files() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        let folder = TemporaryFolder()
        let story = try #require(Scenario.named("upgraded")).story()

        let count = try StoryFolder.write(story, to: folder.path, signedBy: authority)

        let index = try json("scenario.json", in: folder)
        let files = try #require(index["files"]?.array)
        #expect(files.count == count && count == story.events.reduce(0) { $0 + $1.documents.count })
        let names = files.compactMap { $0["file"]?.string }
        #expect(Set(names).count == count)
        #expect(names.contains("03-switched-transaction-1.jws") && names.contains("03-switched-transaction-2.jws"))
        #expect(names.last == "05-receipt.der")
        let there = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(there) == Set(names).union(["root.pem", "scenario.json", "expected.json"]))
        #expect(StoryFolder.contents(of: folder.path)?.isSuperset(of: there) == true)
        #expect(try String(contentsOfFile: folder.path + "/root.pem", encoding: .utf8) == authority.rootPEM)
        for file in files where file["kind"]?.string == "transaction" {
            let name = try #require(file["file"]?.string)
            let text = try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8)
            let verifier = TransactionVerifier(bundleID: "com.example.tunes", roots: authority.trustRoots)
            guard case .verified(let payload) = try verifier.verify(Array(text.utf8), at: story.end).verdict else {
                Issue.record("\(name) is not verified")
                continue
            }
            #expect(payload.transactionID == file["transactionId"]?.string)
            #expect(payload.originalTransactionID == file["originalTransactionId"]?.string)
        }
    }

    @Test("What must come out is what the story says, at its end and at each moment of interest")
    func expected() throws {
        let folder = TemporaryFolder()
        let story = try #require(Scenario.named("family-revoked")).story()

        try StoryFolder.write(story, to: folder.path, signedBy: try SimulatedReceiptTests.authority.get())

        let truth = try json("expected.json", in: folder)
        let end = try #require(truth["end"]?["holdings"]?.array)
        #expect(end.compactMap { $0["customer"]?.string } == ["buyer", "member"])
        #expect(end.map { $0["isActive"] } == [.boolean(true), .boolean(false)])
        #expect(end.compactMap { $0["reason"]?.string } == ["paid", "no_longer_shared"])
        #expect(truth["periods"]?.array?.count == story.periods.count)
        #expect(truth["moments"]?.array?.count == story.moments.count)
    }

    @Test("The key of Google's and AppCoins' purchases is written beside them")
    func purchaseKey() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        let folder = TemporaryFolder()

        try StoryFolder.write(
            try #require(Scenario.named("google-purchases")).story(), to: folder.path, signedBy: authority)

        let pem = try String(contentsOfFile: folder.path + "/purchase-key.pem", encoding: .utf8)
        #expect(try PublicKey(pem: pem).der == authority.purchaseKey.publicKey.der)
        #expect(try json("scenario.json", in: folder)["purchaseKey"]?.string == "purchase-key.pem")
    }

    @Test("Nothing is written over, and a stranger's folder is not taken for one of ours")
    func strangers() throws {
        let authority = try SimulatedReceiptTests.authority.get()
        let folder = TemporaryFolder()
        let story = try #require(Scenario.named("non-renewing")).story()
        _ = try folder.write("mine", to: "01-bought-transaction.jws")

        #expect(throws: (any Error).self) { try StoryFolder.write(story, to: folder.path, signedBy: authority) }

        #expect(try String(contentsOfFile: folder.path + "/01-bought-transaction.jws", encoding: .utf8) == "mine")
        #expect(StoryFolder.contents(of: folder.path) == nil)
        for text in [
            "{}", #"{"madeBy":"me","files":[]}"#, #"{"madeBy":"tollgate generate","files":[{"file":"../x"}]}"#,
        ] {
            _ = try folder.write(text, to: "scenario.json")
            #expect(StoryFolder.contents(of: folder.path) == nil)
        }
    }

    private func json(_ name: String, in folder: TemporaryFolder) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: folder.url.appending(path: name)))
    }
}

extension JSONValue {
    fileprivate var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
}
