import Messages
import Messaging

extension MessagingConformance {
    static let ownership = [
        Case("An exclusive queue has one owner, until that one's session closes") { test in
            let owner = try await test.session()
            let other = try await test.session()
            let (queue, bindings) = Topology.queries(test.service, 0, of: .one)
            try await owner.declareExclusive(queue: queue, bindings: bindings)
            try await owner.declareExclusive(queue: queue, bindings: bindings)

            let refusal = try await test.error { try await other.declareExclusive(queue: queue, bindings: bindings) }
            try test.expect(refusal) { $0 == .ownedElsewhere(queue: queue) }
            // The refusal has not harmed the session.
            try await other.declare(test.topology)
            await owner.close()

            try await other.declareExclusive(queue: queue, bindings: bindings)
            await other.close()
        },
        Case("Without an owner a question comes back") { test in
            let owner = try await test.session()
            let (queue, bindings) = Topology.queries(test.service, 0, of: .one)
            var question = test.command("?")
            question.route = .query(test.service, Bucket(of: "key"))
            try await owner.declareExclusive(queue: queue, bindings: bindings)

            let with = await test.broker.publisher.publish(question, deadline: test.deadline)
            await owner.close()
            let without = await test.broker.publisher.publish(question, deadline: test.deadline)

            try test.expect([with, without], is: [.confirmed, .returned])
        },
        Case("Of two consumers of a partition one is active; the other takes over when it leaves") { test in
            let first = try await test.session()
            let second = try await test.session()
            let active = try await first.subscribe(to: test.queue, prefetch: 10)
            let waiting = try await second.subscribe(to: test.queue, prefetch: 10)
            try await test.publish(["a", "b"])

            let taken = try await test.take(2, from: active)
            await active.settle(taken, .acknowledge)
            await active.cancel()
            try await test.publish(["c"])
            let next = try await test.take(1, from: waiting)

            try test.expect((taken + next).bodies, is: ["a", "b", "c"])
            await first.close()
            await second.close()
        },
        Case("Declaring the same again is harmless; with other arguments it is refused") { test in
            let session = try await test.session()
            try await session.declare(test.topology)
            let delay = RetryDelay(text: BrokerUnderTest.delay.text, duration: .seconds(77))

            let refusal = try await test.error {
                try await session.declare(
                    Topology(Topology.Layout(retryDelays: [delay]), services: [test.service]))
            }

            try test.expect(refusal) { if case .differs = $0 { true } else { false } }
            try await session.declare(test.topology)
            await session.close()
        },
        Case("What is not there is missing, and the session goes on") { test in
            let session = try await test.session()

            let refusal = try await test.error { _ = try await session.subscribe(to: "nothing.here", prefetch: 1) }

            try test.expect(refusal) { if case .missing = $0 { true } else { false } }
            _ = try await session.subscribe(to: test.queue, prefetch: 1)
            await session.close()
        },
    ]
}
