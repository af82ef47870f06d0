internal import Messages

/// `tollgate users show`
struct UsersShow: ToolCommand {
    static let environment = Option<StoreEnvironment>(
        "--environment", "NAME", "Where it was bought: production, sandbox or xcode",
        expectation: "production, sandbox or xcode", default: "production"
    ) { name in [StoreEnvironment.production, .sandbox, .xcode].first { $0.rawValue == name } }

    static let layout = CommandLayout(
        "users show", "Says who a user is, what he bought and what it unlocks, as one app sees it",
        operands: [Operand("USER", "The user as the app names him")],
        options: [Subject.organisation, Subject.app, environment] + Conversation.options,
        example: "tollgate users show --organisation acme --app com.example.tunes user_1")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let get = UserGet(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            user: AppUserID(rawValue: arguments.operand(0)), environment: try arguments.value(of: environment))
        let view = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.ask(get)
        }
        return try Output(view.text, json: view)
    }
}

extension UserView {
    /// For people.
    var text: String {
        var lines = ["\(customer.user), \(customer.trust)\(isTest ? ", of a test app" : "")".onOneLine]
        lines.append("  seen \(customer.firstSeen.rfc3339) to \(customer.lastSeen.rfc3339)")
        let device = [customer.platform, customer.osVersion, customer.deviceModel, customer.locale].compactMap { $0 }
        if !device.isEmpty { lines.append("  \(device.joined(separator: ", "))".onOneLine) }
        lines += customer.attributes.sorted { $0.key < $1.key }.map { "  \($0.key) = \($0.value.written)".onOneLine }
        lines.append("entitlements\(entitlements.isEmpty ? ": none" : "")")
        lines += entitlements.map { "  \($0.text)".onOneLine }
        lines.append("transactions\(transactions.isEmpty ? ": none" : "")")
        lines += transactions.map { "  \($0.text)".onOneLine }
        return lines.joined(separator: "\n")
    }
}

extension EntitlementState {
    fileprivate var text: String {
        let time = until.map { isActive ? " until \($0.rfc3339)" : " since \($0.rfc3339)" } ?? ""
        let source = product.map { " by \($0)" } ?? ""
        let why = reason.map { " (\($0))" } ?? ""
        let next = willRenew.map { $0 ? renewsAs.map { ", renews as \($0)" } ?? ", renews" : ", does not renew" } ?? ""
        return
            "\(entitlement): \(isActive ? "active" : "not active")\(why)\(time)\(source)\(next), \(trust), \(environment)"
    }
}

extension UserView.HeldTransaction {
    fileprivate var text: String {
        let what = latest.map { "\($0.product), bought \($0.purchasedAt.rfc3339), \($0.environment)" }
        return "\(originalTransactionID): \(what ?? "nothing signed is known"), \(trust), his since \(since.rfc3339)"
    }
}

extension AttributeValue {
    fileprivate var written: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .number(let number): String(number)
        case .flag(let flag): String(flag)
        case .null: "null"
        }
    }
}
