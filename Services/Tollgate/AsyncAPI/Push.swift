internal import Messages

/// How an example gets to where it belongs, with a tool that knows nothing of Tollgate.
struct Push: Sendable {
    let route: Route
    let headers: [String: String]
    let body: [UInt8]

    init(_ example: MessageExample, of kind: KindOnTheWire) throws {
        body = try example.body()
        let named = ["kind": kind.kind.rawValue]
        headers = example.key.isEmpty ? named : named.merging(["key": example.key]) { $1 }
        // What every partition takes is shown at the last service: who pushes it somewhere else knows where.
        route =
            switch kind.way {
            case .commands(let services):
                .command(services.last ?? .entitlementResolver, example.bucket)
            case .queries(let services): .query(services.last ?? .entitlementResolver, example.bucket)
            case .events: .event(kind.kind, example.bucket)
            }
    }

    /// A line for a shell, with the broker's address in `TOLLGATE_BROKER`.
    var command: String {
        let headers = headers.sorted { $0.key < $1.key }.map { " -H \("\($0.key): \($0.value)".shellQuoted)" }
        return "amqp-publish -u \"$TOLLGATE_BROKER\" -p -C application/json -e \(route.exchange.rawValue) "
            + "-r \(route.routingKey)\(headers.joined()) -b \(String(decoding: body, as: UTF8.self).shellQuoted)"
    }
}
