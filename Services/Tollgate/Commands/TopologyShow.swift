internal import Messages

/// `tollgate topology show`
struct TopologyShow: ToolCommand {
    static let layout = CommandLayout(
        "topology show", "Says every exchange, queue, binding and user that an installation needs",
        details: LayoutOptions.details, options: LayoutOptions.all,
        example: "tollgate topology show --partitions receipt-validator=4 --json")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let listing = TopologyListing(Topology(try LayoutOptions.layout(from: arguments, in: surroundings)))
        return try Output(listing.text, json: listing)
    }
}
