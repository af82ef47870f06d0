import Foundation
import JSON
import StoreArtifacts
import TestSupport
import Testing

/// The program as it was built, on some of the vectors of each kind.
@Suite("tollgate verify on vectors", .enabled(if: Vectors.areThere, "no vectors here: set TOLLGATE_VECTORS"))
struct VerifyVectorTests {
    /// Of each kind the first three that are valid and the first three that are not.
    static let sample: [Vector] = {
        let vectors = Vectors.entries.filter { $0.kind != "jws-chain" }
        let groups = Dictionary(grouping: vectors) { "\($0.kind) \($0.expect.outcome)" }
        return groups.sorted { $0.key < $1.key }.flatMap { $0.value.prefix(3) }
    }()
    let folder = TemporaryFolder()

    @Test("Exit status, verdict, reason and fields are those of the manifest", arguments: sample)
    func program(vector: Vector) async throws {
        let ending = try await BuiltExecutable("tollgate").run(
            ["verify", "--json"] + options(for: vector) + [vector.path])
        let report = try JSONDecoder().decode(ArtifactReport.self, from: Data(ending.output.utf8))

        // What can only be named is refused, genuine or not.
        guard ["certificate", "ios6-receipt"].contains(vector.kind) == false else {
            #expect(report.kind.rawValue == vector.kind)
            #expect(ending.status == 1)
            return
        }
        if vector.expect.outcome == "valid" {
            #expect(ending.status == 0 && report.verdict == .verified, "\(report.message ?? "")")
            let expected = vector.expect.fields?["payload"] ?? .object(vector.expect.fields ?? [:])
            guard case .object(let members) = expected else { return }
            for (name, value) in members where name != "chain" && !name.hasSuffix("sha256") {
                #expect(Self.isSame(report.fields[name], value), "\(name): \(report.fields[name] ?? .null)")
            }
        } else {
            #expect(ending.status == 1 && report.verdict == .refused)
            let reason = report.reason?.rawValue.uppercased() ?? ""
            #expect(vector.expect.reasonCodes.contains(reason), "\(reason): \(report.message ?? "")")
        }
    }

    private static func isSame(_ value: JSONValue?, _ expected: JSONValue) -> Bool {
        switch (value, expected) {
        case (.object(let members), .object(let others)):
            others.allSatisfy { isSame(members[$0], $1) }
        case (.double(let number), .double(let other)): abs(number - other) < 0.001
        case (.string, .string("<jws>")): true
        default: value == expected
        }
    }

    private func options(for vector: Vector) throws -> [String] {
        let names = [
            "bundle_id": "--bundle-id", "package_name": "--bundle-id", "at": "--at", "app_id": "--app-id",
            "key_id": "--key-id", "client_data_hash_hex": "--client-data-hash", "public_key_x963_b64": "--public-key",
            "device_guid_hex": "--device-id",
        ]
        var options = vector.rootNames.flatMap { ["--root", Vectors.folder.appending(path: $0).path()] }
        for (name, option) in names { options += vector.condition(name).map { [option, $0] } ?? [] }
        options += vector.condition("environment").map { ["--environment", $0.lowercased()] } ?? []
        options += vector.number("app_apple_id").map { ["--apple-id", "\($0)"] } ?? []
        options += vector.number("last_counter").map { ["--last-counter", "\($0)"] } ?? []
        options += vector.number("max_age_s").map { ["--max-age", "\($0)"] } ?? []
        if let data = vector.condition("client_data_b64").flatMap({ Data(base64Encoded: $0) }) {
            options += ["--client-data", try folder.write(data)]
        }
        return vector.condition("mode") == "xcode" ? options + ["--allow-xcode"] : options
    }
}
