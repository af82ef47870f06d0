internal import Messages

/// `tollgate paywalls set`
struct PaywallsSet: ToolCommand {
    static let none = Flag("--none", "Take the paywall out: apps show the list that was compiled into them")

    static let layout = CommandLayout(
        "paywalls set", "Says what the paywall for an entitlement offers, in this order",
        details: "In place of what was said before. Phones keep an answer for up to an hour.",
        operands: [
            Operand("ENTITLEMENT", "What the offers unlock, as the app names it"),
            Operand(
                "PRODUCT[:KIND]", "An offer; KIND is subscription, which is meant without it, or iap",
                isRepeatable: true,
                isRequired: false),
        ],
        options: [Subject.organisation, Subject.app, none] + PaywallOptions.all + Conversation.options,
        example: "tollgate paywalls set --organisation acme --app com.example.tunes pro com.example.tunes.pro.annual "
            + "com.example.tunes.credits:iap")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let texts = arguments.operands(from: 1)
        guard texts.isEmpty == arguments.isSet(none) else { throw arguments.wrong("either offers or --none") }
        let skus = try texts.map { text in
            guard let sku = PaywallOptions.sku(text) else { throw arguments.wrong("\(text) is no offer") }
            return sku
        }
        let put = PaywallPut(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            entitlement: try PaywallOptions.entitlement(arguments.operand(0), arguments), skus: skus,
            expectedVersion: try arguments.optional(PaywallOptions.expect), isDryRun: PaywallOptions.isDryRun(arguments)
        )
        let paywall = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(put)
        }
        return try Output(paywall.text.marked(as: put.isDryRun), json: paywall)
    }
}

/// `tollgate paywalls show`
struct PaywallsShow: ToolCommand {
    static let layout = CommandLayout(
        "paywalls show", "Says what the paywall for an entitlement offers, and what it offered before",
        operands: [Operand("ENTITLEMENT", "What the offers unlock, as the app names it")],
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate paywalls show --organisation acme --app com.example.tunes pro")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let list = PaywallList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            entitlement: EntitlementID(rawValue: arguments.operand(0)))
        let versions = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let versions = try await conversation.ask(list)
            if versions.isEmpty { _ = try await conversation.app(list.app, of: list.organisation) }
            return versions
        }
        guard !versions.isEmpty else {
            throw ToolFailure(
                .failed, "\(list.app) has no paywall for \(arguments.operand(0).onOneLine)",
                advice: "tollgate paywalls list names those that there are")
        }
        return try Output(versions.map(\.text).joined(separator: "\n"), json: versions)
    }
}

/// `tollgate paywalls list`
struct PaywallsList: ToolCommand {
    static let layout = CommandLayout(
        "paywalls list", "Says what an app's paywalls offer",
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate paywalls list --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let list = PaywallList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app))
        let paywalls = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let paywalls = try await conversation.ask(list)
            if paywalls.isEmpty { _ = try await conversation.app(list.app, of: list.organisation) }
            return paywalls
        }
        let text = paywalls.isEmpty ? "\(list.app) has no paywalls" : paywalls.map(\.text).joined(separator: "\n")
        return try Output(text, json: paywalls)
    }
}

extension PaywallConfiguration {
    /// A line for people.
    var text: String {
        let offers = skus.isEmpty ? "offers nothing" : "offers \(PaywallOptions.text(skus))"
        return "\(entitlement) of \(app) \(offers) (version \(version), since \(changedAt.rfc3339))".onOneLine
    }
}

extension String {
    /// Says so where nothing was changed.
    func marked(as isDryRun: Bool?) -> String { isDryRun == true ? self + "\nnothing was changed" : self }
}
