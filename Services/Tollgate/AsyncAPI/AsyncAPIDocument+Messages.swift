internal import JSON
internal import Messages

extension AsyncAPIDocument {
    /// Every kind, and the answer to each that has one.
    func messages() throws -> [String: JSONValue] {
        var messages: [String: JSONValue] = [:]
        func add<Body: Decodable>(_ kind: KindOnTheWire, _ type: Body.Type) throws {
            messages[kind.kind.rawValue] = try message(kind, payload: try book.schema(of: type))
        }
        for kind in KindOnTheWire.all {
            try add(kind, kind.body)
            guard let value = kind.answer else { continue }
            messages[Self.answer(kind.kind)] = try answer(to: kind.kind, value)
        }
        return messages
    }

    static func answer(_ kind: MessageKind) -> String { "\(kind).answer" }

    private func message(_ kind: KindOnTheWire, payload: JSONValue) throws -> JSONValue {
        var message: [String: JSONValue] = [
            "name": .string(kind.kind.rawValue), "contentType": "application/json",
            "headers": EnvelopeDescription.headers, "payload": payload,
            "bindings": ["amqp": ["messageType": .string(kind.kind.rawValue), "bindingVersion": "0.3.0"]],
            "x-authors": .array(kind.authors.map { $0.map { .string($0.rawValue) } } ?? ["anyone"]),
        ]
        if let example = MessageExample.all[kind.kind] {
            let push = try Push(example, of: kind)
            message["summary"] = .string(example.summary)
            message["examples"] = [
                [
                    "name": .string(kind.kind.rawValue), "headers": .object(push.headers.mapValues(JSONValue.string)),
                    "payload": try JSONCoding.decode(JSONValue.self, from: push.body),
                ]
            ]
            message["x-publish"] = [
                "exchange": .string(push.route.exchange.rawValue), "routingKey": .string(push.route.routingKey),
                "command": .string(push.command),
            ]
        }
        return .object(message)
    }

    /// As ``Answer`` writes it.
    private func answer<Value: Decodable>(to kind: MessageKind, _ value: Value.Type) throws -> JSONValue {
        func outcome(_ names: [JSONValue], _ members: [String: JSONValue]) -> JSONValue {
            let outcome: JSONValue = ["type": "string", "enum": .array(names)]
            return [
                "type": "object", "properties": .object(members.merging(["outcome": outcome]) { $1 }),
                "required": .array((members.keys + ["outcome"]).sorted().map(JSONValue.string)),
            ]
        }
        let text: JSONValue = ["type": "string"]
        return [
            "name": .string(Self.answer(kind)), "contentType": "application/json",
            "summary": .string("The answer to \(kind): applied with a value, refused for a reason, or failed for now."),
            "payload": [
                "oneOf": [
                    outcome(["applied"], ["value": try book.schema(of: value)]),
                    outcome(["refused", "failed"], ["reason": text, "message": text]),
                ]
            ],
        ]
    }
}
