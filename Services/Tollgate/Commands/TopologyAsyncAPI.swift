internal import FoundationEssentials
internal import JSON
internal import Messages

/// `tollgate topology asyncapi`
struct TopologyAsyncAPI: ToolCommand {
    static let layout = CommandLayout(
        "topology asyncapi", "Writes the AsyncAPI 3.0 document of every message and queue, with an example of each",
        details: """
            JSON, for people as for programs; needs no broker. Schemas come from the types that services read. Each \
            message has an example that can be pushed as it stands, and x-publish.command, the line that pushes it.
            """,
        options: LayoutOptions.all,
        example: "tollgate topology asyncapi --partitions receipt-validator=4 > asyncapi.json"
    )

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let document = AsyncAPIDocument(try LayoutOptions.layout(from: arguments, in: surroundings))
        let value = try document.value()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try Output(String(decoding: try encoder.encode(value), as: UTF8.self), json: value)
    }
}
