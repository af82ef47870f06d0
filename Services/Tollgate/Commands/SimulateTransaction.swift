internal import FoundationEssentials
internal import Glibc
internal import Messages
internal import ServiceKit
internal import StoreArtifacts
internal import StoreSimulator

/// `tollgate simulate transaction`
struct SimulateTransaction: ToolCommand {
    static let authority = Option<String>.text(
        "--authority", "DIR", "The authority that signs it, as simulate authority made it",
        variable: "TOLLGATE_AUTHORITY", isRequired: true)
    static let product = Option<String>.text(
        "--product", "PRODUCT", "What is bought, as the store names it", isRequired: true)
    static let period = Option<Duration>(
        "--period", "DURATION", "How long a subscription lasts", expectation: "a duration such as 30s or 720h",
        default: "720h", parse: Duration.init(settingText:))
    static let nonConsumable = Flag("--non-consumable", "Bought once, kept for ever, instead of a subscription")
    static let token = Option<String>(
        "--app-account-token", "UUID", "The app's own name for the buyer", expectation: "a UUID"
    ) { UUID(uuidString: $0) == nil ? nil : $0 }
    static let environment = Option<AppleEnvironment>(
        "--environment", "NAME", "Where it says that it was bought: Production, Sandbox or Xcode",
        expectation: "Production, Sandbox or Xcode", default: "Production"
    ) { name in [AppleEnvironment.production, .sandbox, .xcode].first { $0.rawValue == name } }

    static let layout = CommandLayout(
        "simulate transaction", "Buys something in a simulated store, and says the signed transaction",
        options: [authority, Subject.app, product, period, nonConsumable, token, environment],
        example: "tollgate simulate transaction --authority ./authority --app com.example.tunes --product pro.monthly")

    private struct Bought: Encodable {
        let jws: String
        let transactionId: String?
        let originalTransactionId: String?
    }

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let authority = try Self.authority(in: try arguments.value(of: authority))
        let id = try arguments.value(of: product)
        // Another seed each time: two purchases never share their ids.
        var store = SimulatedStore(
            bundleID: try arguments.value(of: Subject.app).rawValue,
            environment: try arguments.value(of: environment), seed: UInt32.random(in: 1...UInt32.max))
        let product =
            arguments.isSet(nonConsumable)
            ? StoreProduct.nonConsumable(id) : .subscription(id, period: try arguments.value(of: period))
        // Stores write whole milliseconds.
        let now = Date(timeIntervalSince1970: Date.now.timeIntervalSince1970.rounded(.down))
        let transaction = store.buy(product, at: now, appAccountToken: try arguments.optional(token)).latest
        let jws = try authority.signTransaction(transaction)
        return try Output(
            jws,
            json: Bought(
                jws: jws, transactionId: transaction.transactionID,
                originalTransactionId: transaction.originalTransactionID))
    }

    static func authority(in folder: String) throws -> TestAuthority {
        guard access("\(folder)/authority.pem", R_OK) == 0 else {
            throw ToolFailure(
                .failed, "there is no authority in \(folder)", advice: "tollgate simulate authority \(folder) makes one"
            )
        }
        return try TestAuthority(loadingFrom: folder)
    }
}
