internal import JSON
internal import Messages

extension AsyncAPIDocument {
    /// Where messages are published to, by exchange; where they wait, by queue; and where answers go.
    var channels: [String: JSONValue] {
        var channels: [String: JSONValue] = ["replies": replies]
        for service in ServiceName.all {
            let commands = KindOnTheWire.all.filter { $0.commandTakers.contains(service) }
            let queries = KindOnTheWire.all.filter { $0.queryTakers.contains(service) }
            channels["commands.\(service)"] = exchange(
                .commands, "\(service).{bucket}", "Durable messages to \(service), one at a time per key.",
                commands.map(\.kind.rawValue))
            channels["queries.\(service)"] = exchange(
                .queries, "\(service).{bucket}",
                """
                Transient messages to \(service): they exist while a partition has an owner; published mandatory, \
                one without an owner comes back at once. Those that name a partition go to the bucket of its number.
                """, queries.map(\.kind.rawValue))
        }
        for kind in KindOnTheWire.all where kind.isEvent {
            channels["events.\(kind.kind)"] = exchange(
                .events, "\(kind.kind).{bucket}", "Every \(kind.kind) that its owner has stored.",
                [kind.kind.rawValue])
        }
        for queue in topology.queues { channels["queue.\(queue.name)"] = self.queue(queue) }
        for (name, meaning) in Self.transient { channels["queue.\(name)"] = transientQueue(name, meaning) }
        return channels
    }

    private static let transient = [
        ("SERVICE.PARTITION.queries", "Queries and requests of a partition; held by its owner alone, and his proof."),
        ("edge.INSTANCE", "Events that an edge keeps a projection of."),
        ("replies.INSTANCE", "Answers to one process."),
    ]

    private var replies: JSONValue {
        let answers = KindOnTheWire.all.filter { $0.answer != nil }.map { Self.answer($0.kind) }
        return [
            "address": .null, "messages": references(answers),
            "description": """
            The queue that reply_to names, through the default exchange, with the correlation_id of the question. An \
            answer waits for nobody: it is neither durable nor confirmed.
            """,
        ]
    }

    private func exchange(
        _ exchange: Exchange, _ address: String, _ meaning: String, _ messages: [String]
    ) -> JSONValue {
        [
            "address": .string(address), "description": .string(meaning), "messages": references(messages),
            "parameters": [
                "bucket": ["description": "CRC-32 of the key mod 64, in decimal.", "examples": ["0", "63"]]
            ],
            "bindings": [
                "amqp": [
                    "is": "routingKey", "bindingVersion": "0.3.0",
                    "exchange": [
                        "name": .string(exchange.rawValue), "type": .string(exchange.type), "durable": true,
                        "autoDelete": false,
                    ],
                ]
            ],
        ]
    }

    private func queue(_ queue: QueueDeclaration) -> JSONValue {
        let service = ServiceName.all.first { queue.name.hasPrefix("\($0).") }
        let isPartition = queue.name.split(separator: ".").last.flatMap { Int($0) } != nil
        let taken = KindOnTheWire.all.filter { kind in
            isPartition && service.map { kind.commandTakers.contains($0) || kind.eventTakers.contains($0) } == true
        }
        return [
            "address": .string(queue.name), "messages": references(taken.map(\.kind.rawValue)),
            "bindings": queueBinding(queue.name, isDurable: true),
            "x-arguments": .object(queue.arguments.mapValues(\.json)),
            "x-bindings": .array(
                topology.bindings.filter { $0.queue == queue.name }.map {
                    ["exchange": .string($0.exchange.rawValue), "routingKey": .string($0.routingKey)]
                }),
        ]
    }

    private func transientQueue(_ name: String, _ meaning: String) -> JSONValue {
        [
            "address": .null, "description": .string(meaning), "messages": [:],
            "bindings": queueBinding(name, isDurable: false),
        ]
    }

    private func queueBinding(_ name: String, isDurable: Bool) -> JSONValue {
        [
            "amqp": [
                "is": "queue", "bindingVersion": "0.3.0",
                "queue": [
                    "name": .string(name), "durable": .boolean(isDurable), "exclusive": .boolean(!isDurable),
                    "autoDelete": false,
                ],
            ]
        ]
    }

    private func references(_ messages: [String]) -> JSONValue {
        .object(
            Dictionary(uniqueKeysWithValues: messages.map { ($0, ["$ref": .string("#/components/messages/\($0)")]) }))
    }
}

extension AsyncAPIDocument {
    /// What Tollgate does: it receives each command, request and query, sends each event, and receives those it subscribes.
    var operations: [String: JSONValue] {
        var operations: [String: JSONValue] = [:]
        for kind in KindOnTheWire.all {
            for service in kind.commandTakers + kind.queryTakers {
                let channel = "\(kind.commandTakers.isEmpty ? "queries" : "commands").\(service)"
                operations["\(service).takes.\(kind.kind)"] = operation(
                    "receive", channel, kind.kind, isAnswered: kind.answer != nil)
            }
            guard kind.isEvent else { continue }
            let owner = kind.authors?.first?.rawValue ?? "anyone"
            operations["\(owner).tells.\(kind.kind)"] = operation("send", "events.\(kind.kind)", kind.kind)
            for service in kind.eventTakers {
                operations["\(service).takes.\(kind.kind)"] = operation("receive", "events.\(kind.kind)", kind.kind)
            }
        }
        return operations
    }

    private func operation(
        _ action: String, _ channel: String, _ kind: MessageKind, isAnswered: Bool = false
    ) -> JSONValue {
        func message(_ channel: String, _ name: String) -> JSONValue {
            ["$ref": .string("#/channels/\(channel)/messages/\(name)")]
        }
        var operation: [String: JSONValue] = [
            "action": .string(action), "channel": ["$ref": .string("#/channels/\(channel)")],
            "messages": [message(channel, kind.rawValue)],
        ]
        if isAnswered {
            operation["reply"] = [
                "address": [
                    "location": "$message.header#/reply_to",
                    "description": "The queue that the property reply_to names.",
                ], "channel": ["$ref": "#/channels/replies"],
                "messages": [message("replies", Self.answer(kind))],
            ]
        }
        return .object(operation)
    }
}

extension KindOnTheWire {
    var commandTakers: [ServiceName] { if case .commands(let takers) = way { takers } else { [] } }
    var queryTakers: [ServiceName] { if case .queries(let takers) = way { takers } else { [] } }
    var eventTakers: [ServiceName] { if case .events(let takers) = way { takers } else { [] } }
    var isEvent: Bool { if case .events = way { true } else { false } }
}

extension QueueDeclaration.Argument {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .string(text)
        case .integer(let number): .integer(Int64(number))
        case .flag(let flag): .boolean(flag)
        }
    }
}
