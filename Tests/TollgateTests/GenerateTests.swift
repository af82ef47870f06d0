import Foundation
import JSON
import StoreSimulator
import TestSupport
import Testing
import Tollgate

@Suite("tollgate generate")
struct GenerateTests {
    let installation = FakeInstallation()
    let folder = TemporaryFolder()

    @Test("Writes a scenario into a folder that is made for it, and says where")
    func writes() async throws {
        let out = folder.path + "/a/b"

        let ending = await installation.tool(
            "generate", "--scenario", "cancelled", "--out", out, "--start", "2026-01-31T12:00:00Z", "--app",
            "org.example.racer", "--product", "monthly=pro", "--environment", "Sandbox", "--account-token",
            "1F0E7AAC-2C0E-4B1B-9E53-6C1F00B0A001", "--json")

        #expect(ending.status == .success, "\(ending.complaint)")
        let answer = try JSONDecoder().decode(JSONValue.self, from: Data(ending.output.utf8))
        #expect(answer["root"]?.string == "\(out)/root.pem")
        let index = try json("\(out)/scenario.json")
        #expect(index["start"]?.string == "2026-01-31T12:00:00.000Z")
        #expect(index["bundleId"]?.string == "org.example.racer")
        #expect(index["environment"]?.string == "Sandbox")
        #expect(index["appAccountToken"]?.string == "1f0e7aac-2c0e-4b1b-9e53-6c1f00b0a001")
        let truth = try json("\(out)/expected.json")
        guard case .array(let holdings) = truth["end"]?["holdings"] else {
            Issue.record("nobody holds anything")
            return
        }
        #expect(holdings.map { $0["productId"]?.string } == ["pro"])
        #expect(holdings.map { $0["reason"]?.string } == ["cancelled"])
    }

    @Test("Unless it is told when to begin, a story has just ended, so that nothing in it is signed in the future")
    func endsNow() async throws {
        let before = Date.now

        let ending = await installation.tool("generate", "--scenario", "renewals", "--out", folder.path)

        #expect(ending.status == .success, "\(ending.complaint)")
        let text = try #require(try json("\(folder.path)/scenario.json")["end"]?.string)
        let end = try Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(end < before && end > before - 120)
    }

    @Test("With --authority it is signed by somebody whom an app believes already")
    func authority() async throws {
        let authority = folder.path + "/authority"
        let out = folder.path + "/out"

        let none = await installation.tool(
            "generate", "--scenario", "cancelled", "--out", out, "--authority", authority)
        try TestAuthority.make().save(to: authority)
        let ending = await installation.tool(
            "generate", "--scenario", "cancelled", "--out", out, environment: ["TOLLGATE_AUTHORITY": authority])

        #expect(none.status == .failed && none.complaint.contains("simulate authority"))
        #expect(!FileManager.default.fileExists(atPath: out + "/scenario.json") || ending.status == .success)
        #expect(
            try String(contentsOfFile: out + "/root.pem", encoding: .utf8)
                == String(contentsOfFile: authority + "/root.pem", encoding: .utf8))
    }

    @Test("What it has written itself is replaced if that is asked for; anything else is left alone")
    func replacing() async throws {
        let words = ["generate", "--scenario", "non-renewing", "--out", folder.path]

        let first = await tool(words)
        let second = await tool(words)
        let other = await tool(["generate", "--scenario", "consumables", "--out", folder.path, "--force"])
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        _ = try folder.write("mine", to: "notes.txt")
        let spoilt = await tool(words + ["--force"])

        #expect(first.status == .success, "\(first.complaint)")
        #expect(second.status == .failed && second.complaint.contains("--force"))
        #expect(other.status == .success, "\(other.complaint)")
        #expect(!names.contains("01-bought-receipt.der") && names.contains("04-refund-asked-notification.jws"))
        #expect(spoilt.status == .failed && spoilt.complaint.contains("notes.txt was not generated"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == names.count + 1)
    }

    @Test("All scenarios go into a folder each, under one root, and can be replaced as a whole")
    func all() async throws {
        let words = ["generate", "--scenario", "all", "--out", folder.path]

        let first = await tool(words)
        let root = try String(contentsOfFile: folder.path + "/root.pem", encoding: .utf8)
        let second = await tool(words)
        let forced = await tool(words + ["--force", "--seed", "2"])

        #expect(first.status == .success, "\(first.complaint)")
        #expect(second.status == .failed)
        #expect(forced.status == .success, "\(forced.complaint)")
        #expect(try String(contentsOfFile: folder.path + "/root.pem", encoding: .utf8) != root)
        for scenario in Scenario.all {
            let folder = "\(folder.path)/\(scenario.name)"
            #expect(try json("\(folder)/scenario.json")["seed"] == .integer(2))
            #expect(
                try String(contentsOfFile: "\(folder)/root.pem", encoding: .utf8)
                    == String(contentsOfFile: "\(self.folder.path)/root.pem", encoding: .utf8))
        }
    }

    @Test("--help names every scenario; a name that is none, and a start without certificates, are wrong")
    func words() async {
        let help = await installation.tool("generate", "--help")
        let unknown = await installation.tool("generate", "--scenario", "x", "--out", folder.path)
        let early = await installation.tool(
            "generate", "--scenario", "renewals", "--out", folder.path, "--start", "1999-01-01T00:00:00Z")
        let part = await installation.tool(
            "generate", "--scenario", "renewals", "--out", folder.path, "--product", "weekly=x")

        #expect(Scenario.all.allSatisfy { help.output.contains("  \($0.name)\n      \($0.summary)\n") })
        #expect(unknown.status == .usage && early.status == .usage && part.status == .usage)
    }

    private func tool(_ words: [String]) async -> Tool.Ending {
        await Tool(in: Surroundings(environment: [:]) { [broker = installation.broker] _ in (broker, nil) }).run(words)
    }

    private func json(_ path: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(contentsOf: URL(filePath: path)))
    }
}
