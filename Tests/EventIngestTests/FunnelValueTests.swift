import Messages
import Testing

@testable import EventIngest

@Suite("Values of the funnel")
struct FunnelValueTests {
    @Test("Steps with answers are packed and read again; bytes that are none end the reading")
    func packed() {
        let long = String(repeating: "é", count: 32)
        let answers: [UInt16: String?] = [0: nil, 7: "", 300: "annual", 65_534: .some(long)]
        func read(_ steps: StepsReached) -> [Int: String?] {
            var found: [Int: String?] = [:]
            steps.forEach { number, answer in
                found.updateValue(answer.map { String(decoding: $0, as: UTF8.self) }, forKey: number)
            }
            return found
        }
        let steps = StepsReached(answers)

        let whole = read(steps)
        #expect(whole == [0: nil, 7: "", 300: "annual", 65_534: .some(long)])
        for length in steps.bytes.indices {
            let part = read(StepsReached(bytes: Array(steps.bytes.prefix(length))))
            #expect(part.count < whole.count && part.allSatisfy { whole[$0.key] == .some($0.value) })
        }
    }

    @Test("Beyond the most answers those of the fewest users become one, and their users are all there")
    func bounded() {
        let most = FunnelTally.mostAnswers
        let answers = (0..<most + 10).map {
            FunnelTally.Answer(value: "\($0)", users: $0 + 1, purchased: $0 % 2)
        }

        let bounded = FunnelTally.bounded(answers + answers)

        #expect(bounded.count == most + 1 && bounded.last?.value == nil)
        #expect(bounded.first == .init(value: "\(most + 9)", users: 2 * (most + 10), purchased: 2))
        #expect(bounded.last?.users == 2 * (1...10).reduce(0, +))
        #expect(bounded.map(\.purchased).reduce(0, +) == 2 * answers.map(\.purchased).reduce(0, +))
    }

    @Test("Tallies add up in any order")
    func sum() {
        let tallies = (1...5).map { number in
            FunnelTally(
                users: number,
                stages: [.init(users: number, fromBefore: number), .init(users: number / 2, fromBefore: 1)],
                refunded: number % 2, answers: [.init(value: "a\(number % 2)", users: number, purchased: 1)])
        }
        let empty = FunnelTally(stages: [.init(), .init()])

        let (forth, back) = (
            tallies.reduce(empty) { $0.adding($1) }, tallies.reversed().reduce(empty) { $0.adding($1) }
        )

        #expect(forth == back && forth.users == 15 && forth.stages[1] == .init(users: 6, fromBefore: 5))
        #expect(forth.answers?.map(\.users) == [9, 6])
    }

    @Test(
        "More steps than are shown: what attested callers told for most users is, then what others did, in their order")
    func manySteps() {
        let steps = (0..<Funnel.mostSteps + 50).map { number in
            let isAttested = number % 10 == 0
            return FunnelStep(
                step: "s\(number)", index: 99 - number % 100, declaredAt: Timestamp(clamping: Int64(number)),
                isAttested: isAttested, users: 1000 - number, attestedUsers: isAttested ? 1 : 0)
        }

        let shown = Funnel.steps(adding: [steps.filter { $0.index % 2 == 0 }, steps])

        #expect(shown.count == Funnel.mostSteps)
        let (attested, others) = (steps.filter { $0.isAttested == true }, steps.filter { $0.isAttested != true })
        // Those that both partitions tell have twice the users.
        let most = others.sorted { ($0.users ?? 0) * (2 - $0.index % 2) > ($1.users ?? 0) * (2 - $1.index % 2) }
        let expected = attested + most.prefix(Funnel.mostSteps - attested.count)
        #expect(Set(shown.map(\.step)) == Set(expected.map(\.step)))
        #expect(shown.map(\.index) == shown.map(\.index).sorted())
    }

    @Test("Where two partitions tell of a step the newest event of an attested caller puts it")
    func declared() {
        func step(_ index: Int, at time: Int64, isAttested: Bool) -> FunnelStep {
            FunnelStep(
                step: "s", index: index, declaredAt: Timestamp(clamping: time), isAttested: isAttested, users: 2,
                attestedUsers: isAttested ? 2 : 0)
        }
        let steps = [
            step(1, at: 10, isAttested: false), step(2, at: 5, isAttested: true), step(3, at: 5, isAttested: true),
            step(9, at: 4, isAttested: true),
        ]

        for steps in [steps, steps.reversed()] {
            let sum = Funnel.steps(adding: steps.map { [$0] })
            #expect(sum.map(\.index) == [3] && sum.map(\.users) == [8] && sum.map(\.attestedUsers) == [6])
        }
    }

    @Test(
        "Steps of one index are compared with the stage before all of them, and the next one with all of them together")
    func ties() {
        var counter = FunnelCounter(steps: 3, indices: [0, 1, 1], answersTo: nil)
        let ways: [[UInt16]] = [[0, 1], [0, 2], [0], [2]]
        for (number, way) in ways.enumerated() {
            counter.count(
                StepsReached(Dictionary(uniqueKeysWithValues: way.map { ($0, nil) })), at: [0, 1, 2],
                isExposed: number < 2, hasPurchased: false, isRefunded: false)
        }
        let steps = [("welcome", 0), ("by_mail", 1), ("by_phone", 1)].map {
            FunnelStep(step: $0, index: $1, declaredAt: .distantPast)
        }
        let question = FunnelCount(
            partition: 0, organisation: IngestRig.organisation, app: IngestRig.app, steps: steps.map(\.step),
            indices: steps.map(\.index))

        let funnel = Funnel(question, steps: steps, adding: [counter.tally])

        let (third, twoThirds) = (1.0 / 3, 2.0 / 3)
        let shares: [Double?] = [nil, third, third, twoThirds, 0]
        #expect(funnel.stages.map(\.users) == [3, 1, 2, 2, 0] && funnel.stages.map(\.ofBefore) == shares)
    }

    @Test("Sums that are too great for a number stay at the greatest, whoever tells them")
    func overflow() {
        let most = FunnelTally(
            users: .max, stages: [.init(users: .max, fromBefore: .min, before: .max)], refunded: .max,
            answers: [.init(value: "a", users: .max, purchased: .min), .init(value: nil, users: .max, purchased: .max)])

        let sum = most.adding(most)

        #expect(sum.users == .max && sum.refunded == .max && sum.stages == most.stages && sum.answers == most.answers)
        let step = FunnelStep(
            step: "s", index: 0, declaredAt: .distantPast, isAttested: true, users: .max, attestedUsers: .max)
        #expect(Funnel.steps(adding: [[step], [step]]) == [step])
    }

    @Test("Answers that differ in their bytes alone are two")
    func bytes() {
        let answers = ["caf\u{e9}", "cafe\u{301}"].map { FunnelTally.Answer(value: $0, users: 1, purchased: 0) }

        #expect(FunnelTally.bounded(answers + answers).map(\.users) == [2, 2])
    }
}
