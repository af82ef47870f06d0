import Messages
import Messaging

extension MessagingConformance {
    static let consuming = [
        Case("No more is delivered than the prefetch allows until something is settled") { test in
            let session = try await test.session()
            try await test.publish((0..<10).map(String.init))
            let subscription = try await session.subscribe(to: test.queue, prefetch: 4)

            let first = try await test.take(4, from: subscription)
            await subscription.settle([first[1]], .acknowledge)
            let second = try await test.take(1, from: subscription)
            await subscription.settle([first[0], first[2], first[3]], .acknowledge)
            let rest = try await test.take(3, from: subscription)

            try test.expect((first + second + rest).bodies, is: (0..<8).map(String.init))
            await session.close()
        },
        Case("A queue says how many messages are ready, without those that are in somebody's hands") { test in
            let session = try await test.session()
            try await test.publish((0..<10).map(String.init))

            let before = try await session.ready(in: test.queue)
            let subscription = try await session.subscribe(to: test.queue, prefetch: 4)
            _ = try await test.take(4, from: subscription)
            let during = try await session.ready(in: test.queue)
            let refusal = try await test.error { _ = try await session.ready(in: "nothing.here") }

            try test.expect([before, during], is: [10, 6])
            try test.expect(refusal) { if case .missing = $0 { true } else { false } }
            await session.close()
        },
        Case("Deliveries may be settled in any order, and twice") { test in
            let session = try await test.session()
            try await test.publish((0..<100).map(String.init))
            let subscription = try await session.subscribe(to: test.queue, prefetch: 100)
            let deliveries = try await test.take(100, from: subscription)

            await subscription.settle(Array(deliveries[50..<70].reversed()), .acknowledge)
            await subscription.settle(Array(deliveries[0..<60]), .acknowledge)
            await subscription.settle(Array(deliveries[69..<100]), .acknowledge)
            await subscription.cancel()
            try await test.publish(["last"])
            let next = try await session.subscribe(to: test.queue, prefetch: 100)

            try test.expect(try await test.take(1, from: next).bodies, is: ["last"])
            await session.close()
        },
        Case("What is given back comes again, marked and counted") { test in
            let session = try await test.session()
            try await test.publish(["a", "b"])
            let subscription = try await session.subscribe(to: test.queue, prefetch: 2)
            let first = try await test.take(2, from: subscription)

            await subscription.settle(first, .giveBack)
            let again = try await test.take(2, from: subscription)

            try test.expect(again.bodies.sorted(), is: ["a", "b"])
            try test.expect(again.map(\.deliveryCount), is: [1, 1])
            try test.expect(again.map(\.isRedelivered), is: [true, true])
            await session.close()
        },
        Case("What has arrived is handed out up to a count, and to a size but at least one") { test in
            let session = try await test.session()
            let large = String(repeating: "x", count: 100_000)
            try await test.publish(["1", "2", "3", large, "5"])
            let subscription = try await session.subscribe(to: test.queue, prefetch: 5)
            // With the last one taken away and given back, all of them have arrived.
            let all = try await test.take(5, from: subscription)
            await subscription.settle(all, .giveBack)
            var sizes: [Int] = []

            var taken = 0
            while taken < 5 {
                let batch = try await subscription.next(upTo: 2, bytes: 50_000) ?? []
                sizes.append(batch.count)
                taken += batch.count
                try test.expect(batch.count == 1 || batch.map(\.size).reduce(0, +) <= 50_000, is: true)
            }

            try test.expect(sizes.allSatisfy { (1...2).contains($0) }, is: true)
            await session.close()
        },
        Case("After a cancel, what has arrived still comes out and can be settled, then nothing more") { test in
            let session = try await test.session()
            try await test.publish(["a", "b", "c"])
            let subscription = try await session.subscribe(to: test.queue, prefetch: 3)
            let first = try await test.take(1, from: subscription)

            await subscription.cancel()
            var rest: [Delivery] = []
            while let more = try await subscription.next(upTo: 10, bytes: 1 << 20) { rest += more }
            await subscription.settle(first + rest, .acknowledge)

            try await test.publish(["d"])
            let other = try await session.subscribe(to: test.queue, prefetch: 3)
            let later = try await test.take(4 - first.count - rest.count, from: other)
            try test.expect((first + rest + later).bodies, is: ["a", "b", "c", "d"])
            try test.expect(later.map(\.deliveryCount), is: later.map { _ in 0 })
            await session.close()
        },
        Case("A task that is cancelled while it waits gets nothing, and the subscription lives on") { test in
            let session = try await test.session()
            let subscription = try await session.subscribe(to: test.queue, prefetch: 3)
            let waiting = Task { try await subscription.next(upTo: 1, bytes: 1) }

            waiting.cancel()
            try test.expect(try await waiting.value == nil, is: true)
            try await test.publish(["a"])

            try test.expect(try await test.take(1, from: subscription).bodies, is: ["a"])
            await session.close()
        },
    ]
}
