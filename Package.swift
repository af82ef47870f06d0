// swift-tools-version: 6.2
import PackageDescription

// One line per module: who depends on whom. `scripts/check-imports` and
// `swift build --explicit-target-dependency-import-check error` keep it true.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// A C library of the system: a module map and a shim, imported by one Swift module only.
func library(_ name: String, pkgConfig: String? = nil, apt: String? = nil) -> [Target] {
    [
        .systemLibrary(
            name: name, path: "Shared/C/\(name)", pkgConfig: pkgConfig, providers: apt.map { [.apt([$0])] })
    ]
}

/// A shared module at `Shared/<name>` with its tests at `Tests/<name>Tests`, which may need more than it does.
func module(
    _ name: String, uses dependencies: [Target.Dependency] = [], testedWith more: [Target.Dependency] = [],
    settings: [SwiftSetting] = []
) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, path: "Shared/\(name)", swiftSettings: strict + settings),
        tests(of: name, uses: [.byName(name: name)] + dependencies + more),
    ]
}

/// A service at `Services/<name>`: a library, the executable in its `Main` folder, and its tests, which may need more.
func service(
    _ name: String, executable: String, uses more: [Target.Dependency] = [],
    testedWith evenMore: [Target.Dependency] = []
) -> [Target] {
    let dependencies: [Target.Dependency] =
        ["Messages", "Messaging", "Lane", "SQLite", "ServiceKit", "HTTP", "JSON"] + more
    return [
        .target(
            name: name, dependencies: dependencies, path: "Services/\(name)", exclude: ["Main", "README.md"],
            swiftSettings: strict),
        .executableTarget(
            name: executable, dependencies: [.byName(name: name), "AMQP", "ServiceKit"],
            path: "Services/\(name)/Main", swiftSettings: strict),
        tests(of: name, uses: [.byName(name: name)] + dependencies + evenMore),
    ]
}

func tests(of name: String, uses dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["TestSupport"], path: "Tests/\(name)Tests",
        // Read where they are.
        exclude: name == "Messages" ? ["Golden"] : [], swiftSettings: strict)
}

let cLibraries =
    library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev")
    + library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev")
    + library("CRabbitMQ", pkgConfig: "librabbitmq", apt: "librabbitmq-dev")
    + library("CMicroHTTPD", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev")
    + library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev")
    + library("CLinux")

let sharedModules =
    module("ServiceKit")
    // Every byte of every message goes through it: without the optimiser it would be most of what tests wait for.
    + module("JSON", settings: [.unsafeFlags(["-O"], .when(configuration: .debug))])
    + module("Messages", uses: ["JSON"], testedWith: ["Crypto"])
    + module("Messaging", uses: ["Messages", "ServiceKit"])
    + module("SQLite", uses: ["CSQLite", "ServiceKit"])
    + module("Lane", uses: ["Messages", "Messaging", "SQLite", "ServiceKit", "JSON", "Crypto"])
    + module("Apps", uses: ["Messages", "Messaging", "SQLite", "Lane"])
    + module("Erasures", uses: ["Messages", "Messaging", "SQLite", "Lane", "Crypto"])
    + module("AMQP", uses: ["CRabbitMQ", "CLinux", "Messages", "Messaging", "ServiceKit"])
    + module("Crypto", uses: ["COpenSSL"])
    + module("Statistics")
    + module("StoreArtifacts", uses: ["Crypto", "JSON"], testedWith: ["StoreSimulator"])
    + module("StoreSimulator", uses: ["Crypto", "StoreArtifacts", "JSON"])
    + module("HTTP", uses: ["CMicroHTTPD", "JSON", "ServiceKit"], testedWith: ["HTTPClient"])
    + module("HTTPClient", uses: ["CCurl"], testedWith: ["HTTP", "ServiceKit"])

let services =
    service(
        "AttestGateway", executable: "attest-gateway", uses: ["StoreArtifacts", "Crypto"],
        testedWith: ["HTTPClient", "StoreSimulator"])
    + service(
        "ReceiptValidator", executable: "receipt-validator", uses: ["Apps", "StoreArtifacts", "Crypto"],
        testedWith: ["StoreSimulator"])
    + service(
        "EntitlementResolver", executable: "entitlement-resolver", uses: ["Erasures"],
        // What stores sign reaches it through the validator.
        testedWith: ["ReceiptValidator", "StoreArtifacts", "StoreSimulator", "Crypto"])
    + service(
        "PaywallExperiments", executable: "paywall-experiments", uses: ["Apps", "Erasures", "Crypto"],
        testedWith: ["Statistics"])
    + service("EventIngest", executable: "event-ingest", uses: ["Apps", "Erasures", "Crypto"])

let toolUses: [Target.Dependency] = [
    "Messages", "Messaging", "AMQP", "HTTPClient", "JSON", "StoreArtifacts", "StoreSimulator", "SQLite", "Lane",
    "Crypto", "ServiceKit", "Statistics",
]
let tool: [Target] = [
    .target(
        name: "Tollgate", dependencies: toolUses, path: "Services/Tollgate", exclude: ["Main", "README.md"],
        swiftSettings: strict),
    .executableTarget(
        name: "tollgate", dependencies: ["Tollgate", "ServiceKit"], path: "Services/Tollgate/Main",
        swiftSettings: strict),
    tests(of: "Tollgate", uses: ["Tollgate", "tollgate"] + toolUses),
]

let executables: [Target.Dependency] = [
    "attest-gateway", "receipt-validator", "entitlement-resolver", "paywall-experiments", "event-ingest", "tollgate",
]

let testing: [Target] = [
    // What benchmarks of the broker are compared with; `benchmarks` depends on it.
    .target(name: "CBareLoop", path: "Tests/CBareLoop", linkerSettings: [.linkedLibrary("rabbitmq")]),
    // And what those of verification are.
    .target(name: "CBareCrypto", path: "Tests/CBareCrypto", linkerSettings: [.linkedLibrary("crypto")]),
    .target(
        name: "TestSupport",
        dependencies: [
            "Messages", "Messaging", "SQLite", "ServiceKit", "HTTPClient", "AMQP", "Crypto", "StoreSimulator",
            "StoreArtifacts", "JSON", "CLinux",
        ],
        path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "TestSupport", "Messages", "Messaging", "AMQP", "HTTPClient", "Crypto", "StoreArtifacts", "StoreSimulator",
            "SQLite", "ServiceKit", "JSON", "crash-dummy",
        ] + executables, path: "Tests/EndToEndTests", swiftSettings: strict),
    .executableTarget(
        name: "crash-dummy", dependencies: ["AMQP", "Lane", "Messages", "Messaging", "SQLite", "ServiceKit"],
        path: "Tests/CrashDummy", swiftSettings: strict),
    .executableTarget(
        name: "fuzz", dependencies: ["StoreArtifacts", "StoreSimulator", "Crypto", "JSON"], path: "Tests/Fuzz",
        swiftSettings: strict),
    .executableTarget(
        name: "torture",
        dependencies: [
            "TestSupport", "Messages", "Messaging", "AMQP", "HTTPClient", "StoreArtifacts", "StoreSimulator", "JSON",
            "SQLite", "Crypto", "ServiceKit", "Lane", "AttestGateway", "ReceiptValidator", "EntitlementResolver",
            "PaywallExperiments", "EventIngest",
        ] + executables, path: "Tests/Torture", swiftSettings: strict),
    .executableTarget(
        name: "benchmarks",
        dependencies: [
            "TestSupport", "Messages", "Messaging", "AMQP", "Lane", "SQLite", "HTTP", "HTTPClient", "Crypto",
            "StoreArtifacts", "StoreSimulator", "ServiceKit", "EntitlementResolver", "PaywallExperiments",
            "EventIngest", "Apps",
            "CBareLoop", "CBareCrypto",
        ], path: "Tests/Benchmarks", swiftSettings: strict),
]

let package = Package(name: "Tollgate", targets: cLibraries + sharedModules + services + tool + testing)
