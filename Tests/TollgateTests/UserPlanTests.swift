import Foundation
import Messages
import Testing
import Tollgate

@Suite("Logins and their passwords")
struct UserPlanTests {
    static let validator = BrokerUser(of: .receiptValidator)
    static let resolver = BrokerUser(of: .entitlementResolver)

    func plan(_ users: [BrokerUser], existing: Set<BrokerUser> = [], file: String?) throws -> UserPlan {
        UserPlan(
            users: users, existing: existing, file: try file.map { try PasswordFile(parsing: $0) },
            login: (.operatorTool, "in-use"), makePassword: { "made" })
    }

    @Test("A user who is not in the file gets a password, which the file gets to know; the others keep theirs")
    func made() throws {
        let plan = try plan([Self.validator, Self.resolver], file: "receipt-validator=kept\n")

        #expect(plan.passwords.map(\.password) == ["kept", "made"])
        #expect(plan.changedFile?.text == "receipt-validator=kept\nentitlement-resolver=made\n")
        #expect(plan.withoutPassword == [])
    }

    @Test("A user who is there and not in the file is named: his password becomes another")
    func renewed() throws {
        let plan = try plan([Self.validator, Self.resolver], existing: [Self.validator], file: "")

        #expect(plan.passwords.map(\.password) == ["made", "made"])
        #expect(plan.renewed == [Self.validator])
    }

    @Test("A file that knows everybody is left as it is")
    func unchanged() throws {
        let plan = try plan([Self.validator], file: "receipt-validator=kept\n")

        #expect(plan.changedFile == nil)
    }

    @Test("The password of the login in use stays, and the file is put right about it")
    func ownLogin() throws {
        let plan = try plan([.operatorTool], file: "tollgate=another\n")

        #expect(plan.passwords.isEmpty)
        #expect(plan.changedFile?.password(of: .operatorTool) == "in-use")
    }

    @Test("Without a file nobody is made, and those who are missing are named")
    func withoutFile() throws {
        let plan = try plan([Self.validator, Self.resolver], existing: [Self.validator], file: nil)

        #expect(plan.passwords.isEmpty)
        #expect(plan.withoutPassword == [Self.resolver])
    }

    @Test(
        "Lines that are no user=password are refused by their number, and not shown", arguments: ["secret", "=x", "a="])
    func malformed(line: String) throws {
        let error = #expect(throws: ToolFailure.self) { try PasswordFile(parsing: "a=b\n# note\n\n\(line)\n") }

        #expect(error?.description == "line 4 of the passwords is not user=password")
    }

    @Test("A password may hold an equals sign")
    func equals() throws {
        #expect(try PasswordFile(parsing: "receipt-validator=a=b=").password(of: Self.validator) == "a=b=")
    }

    @Test("The file is written for its owner alone, and one that others can read is refused")
    func fileMode() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("passwords").path
        var file = try PasswordFile(readingFrom: path)
        #expect(file.entries.isEmpty)
        file.set(PasswordFile.random(), for: Self.validator)

        try file.write(to: path)

        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try PasswordFile(readingFrom: path) == file)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["passwords"])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: ToolFailure.self) { try PasswordFile(readingFrom: path) }
    }

    @Test("The commands for a broker without a management API are quoted for a shell, and show no password")
    func commands() {
        let lines = BrokerCommands.lines(for: BrokerPermissions.all, virtualHost: "it's", passwords: "/tmp/pass words")

        #expect(
            lines.contains(
                "sed -n 's/^receipt-validator=//p' '/tmp/pass words' | rabbitmqctl add_user receipt-validator")
        )
        #expect(
            lines.contains { $0.hasPrefix(#"rabbitmqctl set_permissions -p 'it'\''s' receipt-validator '^(receipt"#) })
        #expect(lines.contains("rabbitmqctl set_user_tags tollgate administrator"))
    }
}
