internal import Messages

/// `tollgate products map`
struct ProductsMap: ToolCommand {
    static let none = Flag("--none", "Take the product out: it unlocks nothing")

    static let layout = CommandLayout(
        "products map", "Says which entitlements a product unlocks in an app, in place of what was said before",
        operands: [
            Operand("PRODUCT", "What is sold, as the store names it"),
            Operand("ENTITLEMENT", "What it unlocks, as the app names it", isRepeatable: true, isRequired: false),
        ],
        options: [Subject.organisation, Subject.app, none, OperatorOptions.by] + Conversation.options,
        example: "tollgate products map --organisation acme --app com.example.tunes com.example.tunes.pro.monthly pro")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let entitlements = arguments.operands(from: 1)
        guard entitlements.isEmpty == arguments.isSet(none) else {
            throw arguments.wrong("either entitlements or --none")
        }
        guard !arguments.operand(0).isEmpty, !entitlements.contains("") else {
            throw arguments.wrong("PRODUCT and ENTITLEMENT are not empty")
        }
        let map = MappingSet(
            organisation: try arguments.value(of: Subject.organisation), app: try arguments.value(of: Subject.app),
            product: ProductID(rawValue: arguments.operand(0)),
            entitlements: entitlements.map(EntitlementID.init(rawValue:)))
        let mapping = try await Conversation.open(arguments, in: surroundings) { conversation, _ in
            try await conversation.command(map)
        }
        return try Output(mapping.text, json: mapping)
    }
}

extension ProductMapping {
    /// A line for people.
    var text: String {
        let what = entitlements.isEmpty ? "nothing" : entitlements.map(\.rawValue).joined(separator: ", ")
        return "\(product) of \(app) unlocks \(what), since \(changedAt.rfc3339)"
    }
}
