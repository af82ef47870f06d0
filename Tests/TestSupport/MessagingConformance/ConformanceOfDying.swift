import Messages
import Messaging

extension MessagingConformance {
    static let dying = [
        Case("What a closed session had not settled comes to the next one, first, in order and counted") { test in
            let first = try await test.session()
            let second = try await test.session()
            try await test.publish(["a", "b", "c", "d"])
            let early = try await first.subscribe(to: test.queue, prefetch: 2)
            let taken = try await test.take(2, from: early)
            try test.expect(taken.bodies, is: ["a", "b"])

            await first.close()
            let late = try await second.subscribe(to: test.queue, prefetch: 10)
            let deliveries = try await test.take(4, from: late)

            try test.expect(deliveries.bodies, is: ["a", "b", "c", "d"])
            try test.expect(deliveries.map(\.deliveryCount), is: [1, 1, 0, 0])
            await second.close()
        },
        Case(
            "Sixty sessions that cancel, finish and acknowledge charge nobody; sixty that just end charge what they had"
        ) {
            test in
            let first = try await test.session()
            try await test.publish((0..<130).map { "\($0)" })
            for _ in 0..<60 {
                let session = try await test.broker.openSession(named: "stops in order")
                let subscription = try await session.subscribe(to: test.queue, prefetch: 2)
                var inHand = try await test.take(1, from: subscription)
                await subscription.cancel()
                while let more = try await subscription.next(upTo: 2, bytes: 1 << 20) { inHand += more }
                await subscription.settle(inHand, .acknowledge)
                await session.close()
            }
            for _ in 0..<60 {
                let session = try await test.broker.openSession(named: "just ends")
                _ = try await test.take(2, from: try await session.subscribe(to: test.queue, prefetch: 2))
                await session.close()
            }

            let left = try await test.take(3, from: try await first.subscribe(to: test.queue, prefetch: 3))
            try test.expect(left.map(\.deliveryCount), is: [60, 60, 0])
            await first.close()
        },
        Case("The subscription of a closed session fails") { test in
            let session = try await test.session()
            let subscription = try await session.subscribe(to: test.queue, prefetch: 2)

            await session.close()
            let failure = try await test.error { _ = try await subscription.next(upTo: 1, bytes: 1) }

            try test.expect(failure) { if case .disconnected = $0 { true } else { false } }
            // Nothing to settle with; nothing happens.
            await subscription.cancel()
        },
        Case("What waits in the ladder comes back after its delay, under its key and with its history") { test in
            let session = try await test.session()
            let subscription = try await session.subscribe(to: test.queue, prefetch: 2)
            var publication = test.command("later")
            publication.route = .retry(test.service, partition: 0, BrokerUnderTest.delay)

            let outcome = await test.broker.publisher.publish(publication, deadline: test.deadline)
            await test.passTime(BrokerUnderTest.delay.duration)
            let delivery = try await test.take(1, from: subscription)[0]

            try test.expect(outcome, is: .confirmed)
            try test.expect([delivery].bodies, is: ["later"])
            try test.expect(delivery.exchange, is: Exchange.requeue.rawValue)
            try test.expect(delivery.routingKey, is: publication.route.routingKey)
            try test.expect(delivery.envelope.properties.headers.text("x-first-death-reason"), is: "expired")
            try test.expect(delivery.envelope.id, is: publication.envelope.id)
            await session.close()
        },
        Case("A long wait in the ladder does not hold up a short one behind it") { test in
            let session = try await test.session()
            let subscription = try await session.subscribe(to: test.queue, prefetch: 2)
            let waits = [("long", BrokerUnderTest.longDelay), ("short", BrokerUnderTest.delay)]
            for (body, delay) in waits {
                var publication = test.command(body)
                publication.route = .retry(test.service, partition: 0, delay)
                let outcome = await test.broker.publisher.publish(publication, deadline: test.deadline)
                try test.expect(outcome, is: .confirmed)
            }
            await test.passTime(BrokerUnderTest.delay.duration)

            try test.expect(try await test.take(1, from: subscription).bodies, is: ["short"])
            await session.close()
        },
        Case("What comes back more often than the queue allows ends in the service's dead queue") { test in
            let session = try await test.session()
            try await test.publish(["poison"])
            let subscription = try await session.subscribe(to: test.queue, prefetch: 1)
            let dead = try await session.subscribe(to: QueueDeclaration.dead(test.service).name, prefetch: 1)

            for _ in 0...100 {
                await subscription.settle(try await test.take(1, from: subscription), .giveBack)
            }
            let delivery = try await test.take(1, from: dead)[0]

            try test.expect([delivery].bodies, is: ["poison"])
            try test.expect(delivery.routingKey, is: test.service.rawValue)
            try test.expect(delivery.envelope.properties.headers.text("x-first-death-queue"), is: test.queue)
            try test.expect(
                delivery.envelope.properties.headers.text("x-first-death-reason"), is: "delivery_limit")
            await session.close()
        },
    ]
}
