internal import Crypto
internal import JSON

/// `tollgate simulate show`
struct SimulateShow: ToolCommand {
    static let field = Option<String>.text("--field", "NAME", "Only this field, as it is written")

    static let layout = CommandLayout(
        "simulate show", "Says what a signed transaction holds, without looking at its signature",
        operands: [Operand("JWS", "The signed transaction")], options: [field],
        example: "tollgate simulate show --field originalTransactionId \"$(cat transaction.jws)\"")

    static func run(_ arguments: Arguments, in surroundings: Surroundings) async throws -> Output {
        let parts = arguments.operand(0).utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = Base64.url.decode(parts[1]) else {
            throw ToolFailure(
                .failed, "this is no signed transaction: it has not three parts of base64url with dots between")
        }
        let object = try JSONObject(payload)
        guard let name = try arguments.optional(field) else {
            return Output(jsonText: String(decoding: payload, as: UTF8.self))
        }
        guard let range = object.range(of: name) else {
            throw ToolFailure(
                .failed, "it has no field \(name)", advice: "it has \(object.names.joined(separator: ", "))")
        }
        let written = String(decoding: object.bytes[range], as: UTF8.self)
        return Output((try? object.string(name)) ?? written, jsonText: written)
    }
}
