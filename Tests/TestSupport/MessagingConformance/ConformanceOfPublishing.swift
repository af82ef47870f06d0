import Messages
import Messaging

extension MessagingConformance {
    static let publishing = [
        Case("A message arrives with every property it was given") { test in
            let session = try await test.session()
            let subscription = try await session.subscribe(to: test.queue, prefetch: 10)
            var publication = test.command("{\"a\":1}")
            publication.envelope.properties = everyProperty

            let outcome = await test.broker.publisher.publish(publication, deadline: test.deadline)
            try test.expect(outcome, is: .confirmed)
            let delivery = try await test.take(1, from: subscription)[0]

            var properties = delivery.envelope.properties
            // The login, which the broker checks; nothing else is changed.
            try test.expect(properties.userID != nil && properties.userID != "somebody else", is: true)
            properties.userID = publication.envelope.properties.userID
            try test.expect(properties, is: publication.envelope.properties)
            try test.expect(delivery.envelope.body, is: publication.envelope.body)
            try test.expect(delivery.exchange, is: Exchange.commands.rawValue)
            try test.expect(delivery.routingKey, is: publication.route.routingKey)
            try test.expect(delivery.isRedelivered, is: false)
            try test.expect(delivery.deliveryCount, is: 0)
            await session.close()
        },
        Case("What no queue is bound for comes back, each to its own publication among many") { test in
            let session = try await test.session()
            let publications = (0..<500).map { index in
                var publication = test.command("\(index)")
                if index % 7 == 3 { publication.route.routingKey = "nobody.\(index)" }
                return publication
            }

            let outcomes = await test.broker.publisher.publish(publications, deadline: test.deadline)

            try test.expect(outcomes, is: (0..<500).map { $0 % 7 == 3 ? .returned : .confirmed })
            await session.close()
        },
        Case("An event that nobody takes is confirmed") { test in
            let session = try await test.session()
            let event = Publication(
                Envelope(kind: "conformance.happened.v1", id: MessageID(at: .now), body: []),
                to: .event("conformance.happened.v1", Bucket(of: "")), isMandatory: false)

            let outcome = await test.broker.publisher.publish(event, deadline: test.deadline)

            try test.expect(outcome, is: .confirmed)
            await session.close()
        },
        Case("Messages arrive in the order in which they were published") { test in
            let session = try await test.session()
            let bodies = (0..<300).map(String.init)
            try await test.publish(bodies)

            let subscription = try await session.subscribe(to: test.queue, prefetch: 1000)
            let deliveries = try await test.take(300, from: subscription)

            try test.expect(deliveries.bodies, is: bodies)
            await session.close()
        },
        Case("A reply is sent without confirmation to a queue by its name") { test in
            let session = try await test.session()
            let queue = "replies.\(test.service)"
            try await session.declareExclusive(queue: queue, bindings: [])
            let subscription = try await session.subscribe(to: queue, prefetch: 10)
            var reply = test.command("hello")
            reply.route = .reply(queue)

            await test.broker.publisher.send([reply])

            try test.expect(try await test.take(1, from: subscription).bodies, is: ["hello"])
            await session.close()
        },
        Case("Nothing is sent after its deadline") { test in
            let session = try await test.session()

            let outcome = await test.broker.publisher.publish(test.command(), deadline: .now - .seconds(1))

            try test.expect(outcome, is: .notSent(.deadline))
            await session.close()
        },
    ]

    /// Every property, and every type of header that travels.
    static let everyProperty: MessageProperties = {
        var properties = MessageProperties()
        properties.contentType = "application/json"
        properties.contentEncoding = "identity"
        properties.deliveryMode = 2
        properties.priority = 5
        properties.correlationID = "correlation"
        properties.replyTo = "replies.x"
        properties.expiration = "86400000"
        properties.messageID = "message"
        properties.timestamp = 1_796_025_600
        properties.type = "conformance.v1"
        properties.userID = "somebody else"
        properties.appID = "conformance"
        properties.clusterID = "cluster"
        properties.headers = HeaderTable(everyHeader.map { HeaderTable.Entry(name: $0.0, value: $0.1) })
        return properties
    }()

    /// Names in an order that is not the alphabet's.
    static let everyHeader: [(String, HeaderValue)] = [
        ("void", .void), ("boolean", .boolean(true)), ("no", .boolean(false)),
        ("int8", .int8(-128)), ("uint8", .uint8(255)), ("int16", .int16(-32768)), ("uint16", .uint16(65535)),
        ("int32", .int32(.min)), ("uint32", .uint32(.max)), ("int64", .int64(.min)), ("timestamp", .timestamp(1)),
        ("float", .float(0x0000_0001)), ("double", .double(0x8000_0000_0000_0000)),
        ("decimal", .decimal(scale: 2, value: 12345)),
        ("text", .text("Grüße 👋")), ("empty", .text("")), ("octets", .octets([0xFF, 0xFE, 0])),
        ("bytes", .bytes([0, 1, 2])),
        ("array", .array([.int8(1), .text("two"), .array([]), .table(HeaderTable())])),
        (
            "table",
            .table(
                HeaderTable([
                    HeaderTable.Entry(name: "z", value: .text("first")),
                    HeaderTable.Entry(name: "a", value: .table(HeaderTable([.init(name: "deep", value: .void)]))),
                ]))
        ),
        ("twice", .int32(1)), ("twice", .int32(2)),
    ]
}
