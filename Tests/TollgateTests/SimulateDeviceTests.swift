import Crypto
import Foundation
import StoreArtifacts
import StoreSimulator
import TestSupport
import Testing
import Tollgate

@Suite("Simulated devices")
struct SimulateDeviceTests {
    private struct Body: Decodable {
        let keyId: String
        let attestation: String?
        let assertion: String?
        let challenge: String
        let bundleId: String
    }

    private static func run(_ words: String...) async -> Tool.Ending {
        await Tool(in: Surroundings(environment: [:])).run(["simulate"] + words)
    }

    @Test("A device attests its key, keeps it, and counts what it signs")
    func life() async throws {
        let folder = TemporaryFolder()
        let (authority, device) = ("\(folder.path)/authority", "\(folder.path)/phone")
        #expect(await Self.run("authority", authority).status == .success)

        func attest(_ challenge: String) async throws -> Body {
            let ending = await Self.run(
                "attest", "--authority", authority, "--app", "com.example.tunes", "--device", device, "--challenge",
                challenge)
            try #require(ending.status == .success, "\(ending.complaint)")
            return try JSONDecoder().decode(Body.self, from: Data(ending.output.utf8))
        }
        func assert(_ challenge: String) async throws -> Body {
            let ending = await Self.run("assert", "--device", device, "--challenge", challenge)
            try #require(ending.status == .success, "\(ending.complaint)")
            return try JSONDecoder().decode(Body.self, from: Data(ending.output.utf8))
        }
        let first = try await attest("one")
        let signed = [try await assert("two"), try await assert("three")]
        let again = try await attest("four")

        #expect(first.bundleId == "com.example.tunes" && first.challenge == "one" && first.attestation != nil)
        #expect(signed.allSatisfy { $0.keyId == first.keyId && $0.bundleId == "com.example.tunes" })
        #expect(signed.map(\.challenge) == ["two", "three"] && signed[0].assertion != signed[1].assertion)
        #expect(again.keyId == first.keyId && again.attestation != first.attestation)
        #expect(try SimulatedDevice(loadingFrom: device)?.counter == 2)
        let permissions = try FileManager.default.attributesOfItem(atPath: "\(device)/device.json")[.posixPermissions]
        #expect(permissions as? Int == 0o600)
    }

    @Test("A device that is not there signs nothing; one of another app attests nothing; what is none is named")
    func refused() async throws {
        let folder = TemporaryFolder()
        let authority = "\(folder.path)/authority"
        #expect(await Self.run("authority", authority).status == .success)
        func attest(_ app: String, _ device: String) async -> Tool.Ending {
            await Self.run(
                "attest", "--authority", authority, "--app", app, "--device", "\(folder.path)/\(device)", "--challenge",
                "c")
        }

        let absent = await Self.run("assert", "--device", "\(folder.path)/nobody", "--challenge", "c")
        let made = await attest("com.example.a", "a")
        let other = await attest("com.example.b", "a")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/broken", withIntermediateDirectories: true)
        _ = try folder.write(Array("{}".utf8), to: "broken/device.json")
        let broken = await attest("com.example.a", "broken")

        #expect(absent.status == .failed && absent.complaint.contains("there is no device in"))
        #expect(made.status == .success)
        #expect(other.status == .failed && other.complaint.contains("is of the app TEAM123456.com.example.a"))
        #expect(broken.status == .failed && broken.complaint.contains("is no simulated device"))
    }
}
