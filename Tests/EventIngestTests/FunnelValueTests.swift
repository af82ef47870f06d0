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

    @Test("More steps than are shown: those that were declared last are, in their order")
    func manySteps() {
        let steps = (0..<Funnel.mostSteps + 50).map {
            FunnelStep(step: "s\($0)", index: 99 - $0 % 100, declaredAt: Timestamp(clamping: Int64($0)))
        }

        let shown = Funnel.steps(adding: [steps.filter { $0.index % 2 == 0 }, steps])

        #expect(shown.count == Funnel.mostSteps)
        #expect(Set(shown.map(\.step)) == Set(steps.suffix(Funnel.mostSteps).map(\.step)))
        #expect(shown.map(\.index) == shown.map(\.index).sorted())
    }
}
