import Foundation
import ServiceKit
import TestSupport
import Testing

@Suite("Settings")
struct SettingsTests {
    static let size = Setting<Int>.integer("T_SIZE", in: 1...10, default: 3, "How large")
    static let name = Setting<String>.text("T_NAME", default: nil, "Its name")
    static let password = Setting<Secret>("T_PASSWORD", default: nil, "The password", expectation: "ten characters") {
        $0.count == 10 ? Secret($0) : nil
    }
    static let address = Setting<URL>(
        "T_ADDRESS", default: nil, "Login and host", expectation: "a URL", isSecret: true
    ) { _ in nil }

    let folder = TemporaryFolder()

    @Test("A setting that nobody gave has its default, and one without a default is missed by name")
    func absent() throws {
        let settings = try Settings(environment: [:])

        #expect(try settings.value(of: Self.size) == 3)
        #expect(throws: SettingsError(name: "T_NAME", value: nil, expectation: "a text that is not empty")) {
            try settings.value(of: Self.name)
        }
        #expect(throws: SettingsError.self) { try settings.value(of: Self.password) }
    }

    @Test(
        "A bad value is refused in one line with key, value and expectation",
        arguments: ["0", "11", "three", "", " 3", "9223372036854775808", "-1"])
    func bad(text: String) throws {
        let settings = try Settings(environment: ["T_SIZE": text])

        let error = #expect(throws: SettingsError.self) { try settings.value(of: Self.size) }
        #expect(error?.description == "T_SIZE=\(text): expected a whole number from 1 to 10")
    }

    @Test("The environment wins over the file, and the file over the default")
    func precedence() throws {
        let file = try folder.write("size=4\nT_SIZE = 5 \n# T_NAME=no\n\n   # T_NAME=no\nT_NAME= a = b \n")

        let alone = try Settings(environment: ["TOLLGATE_SETTINGS": file])
        let both = try Settings(environment: ["TOLLGATE_SETTINGS": file, "T_SIZE": "6"])

        #expect(try alone.value(of: Self.size) == 5)
        #expect(try alone.value(of: Self.name) == "a = b")
        #expect(try both.value(of: Self.size) == 6)
    }

    @Test("A value's file named by the environment wins over a value in the settings file")
    func precedenceOfValueFiles() throws {
        let password = try folder.write("from-vault\n")
        let file = try folder.write("T_PASSWORD=in-the-set\n")

        let settings = try Settings(environment: ["TOLLGATE_SETTINGS": file, "T_PASSWORD_FILE": password])

        #expect(try settings.value(of: Self.password).revealed == "from-vault")
    }

    @Test("Lines may end as on other systems", arguments: ["\n", "\r\n", "\r"])
    func lineEnds(end: String) throws {
        let file = try folder.write(["T_SIZE=5", "", "T_NAME=x"].joined(separator: end))

        let settings = try Settings(environment: ["TOLLGATE_SETTINGS": file])

        #expect(try settings.value(of: Self.size) == 5)
        #expect(try settings.value(of: Self.name) == "x")
    }

    @Test("A line that is no setting is named by its number, not shown")
    func badLine() throws {
        let file = try folder.write("# one\n\nT_SIZE=5\n\nhunter2\n")

        let error = #expect(throws: SettingsError.self) { try Settings(environment: ["TOLLGATE_SETTINGS": file]) }

        #expect(error?.description == "TOLLGATE_SETTINGS=\(file):5: expected NAME=value lines")
    }

    @Test("A file that cannot be read is named", arguments: ["TOLLGATE_SETTINGS", "T_NAME_FILE"])
    func unreadable(key: String) throws {
        let path = folder.url.appendingPathComponent("missing").path

        let error = #expect(throws: SettingsError.self) {
            try Settings(environment: [key: path]).value(of: Self.name)
        }

        #expect(error?.description == "\(key)=\(path): expected a readable text file")
    }

    @Test("A file that is no text is refused, not trapped on")
    func notText() throws {
        let url = folder.url.appendingPathComponent("bytes")
        try Data([0xFF, 0xFE, 0xC0, 0x00]).write(to: url)

        #expect(throws: SettingsError.self) { try Settings(environment: ["TOLLGATE_SETTINGS": url.path]) }
    }

    @Test("No error shows a secret, however it is printed")
    func badSecret() throws {
        let file = try folder.write("hunter2\n")
        let environments = [
            ["T_PASSWORD": "hunter2", "T_ADDRESS": "amqp://u:hunter2@h"],
            ["T_PASSWORD_FILE": file, "T_ADDRESS_FILE": file],
        ]
        for environment in environments {
            let settings = try Settings(environment: environment)
            let errors = [
                #expect(throws: SettingsError.self) { try settings.value(of: Self.password) },
                #expect(throws: SettingsError.self) { try settings.value(of: Self.address) },
            ]
            for error in errors.compactMap({ $0 }) {
                var dumped = ""
                dump(error, to: &dumped)
                for text in ["\(error)", String(reflecting: error), dumped] {
                    #expect(!text.contains("hunter2"), "\(text)")
                    #expect(text.contains("T_"))
                }
            }
        }
    }

    @Test("A secret shows dots, however it is printed")
    func secret() {
        struct Holder { let password = Secret("hunter2") }
        var dumped = ""
        dump(Holder(), to: &dumped)

        for text in ["\(Holder())", String(reflecting: Holder()), dumped, "\([Secret("hunter2")])"] {
            #expect(!text.contains("hunter2"), "\(text)")
        }
        #expect(Secret("hunter2").revealed == "hunter2")
    }

    @Test(
        "A duration is read with its unit",
        arguments: [
            ("250ms", .milliseconds(250)), ("0s", .zero), ("10s", .seconds(10)), ("5m", .seconds(300)),
            ("24h", .seconds(86_400)), ("87600h", .seconds(315_360_000)), ("007s", .seconds(7)),
        ] as [(String, Duration)])
    func durations(text: String, expected: Duration) {
        #expect(Duration(settingText: text) == expected)
    }

    @Test(
        "What is no duration is none",
        arguments: [
            "", "s", "ms", "10", "10 s", " 10s", "10s ", "-1s", "+1s", "1.5s", "1d", "1S", "0x10s", "87601h",
            "9223372036854775807s", "99999999999999999999s", "١s", "1h30m",
        ])
    func noDuration(text: String) {
        #expect(Duration(settingText: text) == nil)
    }

    @Test("A flag is on or off, nothing else")
    func flag() throws {
        let flag = Setting<Bool>.flag("T_FLAG", default: false, "Whether")

        #expect(try Settings(environment: [:]).value(of: flag) == false)
        #expect(try Settings(environment: ["T_FLAG": "on"]).value(of: flag))
        #expect(throws: SettingsError.self) { try Settings(environment: ["T_FLAG": "true"]).value(of: flag) }
    }

    @Test("Help lists every setting with its meaning and what stands in for it")
    func help() {
        let help = Launcher.help(
            "tester", summary: "Tests.", catalogue: [Self.size, Self.name, Self.password, Self.address])

        for (setting, fallback) in [
            (Self.size as any SettingDescription, "default: 3"), (Self.name, "required"), (Self.password, "required"),
            (Settings.file, "default: none"),
        ] {
            #expect(help.contains("\n  \(setting.name)\n      \(setting.meaning)\n      \(fallback)\n"))
        }
        #expect(help.hasPrefix("tester: Tests.\n"))
    }
}
