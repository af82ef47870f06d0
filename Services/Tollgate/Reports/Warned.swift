/// What was done, and beside its members what may not be meant so.
struct Warned<Value: Encodable>: Encodable {
    private enum CodingKeys: CodingKey { case warning }

    let value: Value
    /// Absent: nothing.
    let warning: String?

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(warning, forKey: .warning)
    }
}
