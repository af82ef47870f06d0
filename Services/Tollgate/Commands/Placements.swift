internal import Messages

/// `tollgate placements set`
struct PlacementsSet: ToolCommand {
    static let none = Flag("--none", "Take the placement out")

    static let layout = CommandLayout(
        "placements set", "Says which paywall a place in an app shows",
        details: "The SDK API does not ask by placement yet; the names are kept for it.",
        operands: [
            Operand("PLACEMENT", "The place, such as settings"),
            Operand("ENTITLEMENT", "Whose paywall it shows", isRequired: false),
        ],
        options: [Subject.organisation, Subject.app, none] + PaywallOptions.all + Conversation.options,
        example: "tollgate placements set --organisation acme --app com.example.tunes settings pro")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let entitlement = try arguments.operands(from: 1).first.map { try PaywallOptions.entitlement($0, arguments) }
        guard (entitlement == nil) == arguments.isSet(none) else {
            throw arguments.wrong("either an entitlement or --none")
        }
        let put = PlacementPut(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            placement: PlacementID(rawValue: arguments.operand(0)), entitlement: entitlement,
            expectedVersion: try arguments.optional(PaywallOptions.expect), isDryRun: PaywallOptions.isDryRun(arguments)
        )
        let (placement, paywalls) = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let placement = try await conversation.command(put)
            // The names may be said in any order, and a paywall taken out later: said, and not refused.
            let list = PaywallList(organisation: put.organisation, app: put.app)
            return (placement, try await put.entitlement == nil ? [] : conversation.ask(list))
        }
        let warning = put.entitlement.flatMap { entitlement -> String? in
            paywalls.contains { $0.entitlement == entitlement && !$0.skus.isEmpty }
                ? nil : "there is no paywall for \(entitlement); tollgate paywalls set makes one"
        }
        return try Output(
            placement.text.marked(as: put.isDryRun), json: Warned(value: placement, warning: warning),
            remark: warning?.onOneLine)
    }
}

/// `tollgate placements list`
struct PlacementsList: ToolCommand {
    static let layout = CommandLayout(
        "placements list", "Says which paywalls the places in an app show",
        options: [Subject.organisation, Subject.app] + Conversation.options,
        example: "tollgate placements list --organisation acme --app com.example.tunes")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let list = PlacementList(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app))
        let placements = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            let placements = try await conversation.ask(list)
            if placements.isEmpty { _ = try await conversation.app(list.app, of: list.organisation) }
            return placements
        }
        let text =
            placements.isEmpty ? "\(list.app) has no placements" : placements.map(\.text).joined(separator: "\n")
        return try Output(text, json: placements)
    }
}

extension Placement {
    /// A line for people.
    var text: String {
        let what = entitlement.map { "shows the paywall for \($0)" } ?? "shows nothing"
        return "\(placement) of \(app) \(what) (version \(version), since \(changedAt.rfc3339))".onOneLine
    }
}
