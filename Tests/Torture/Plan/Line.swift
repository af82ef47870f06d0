import TestSupport

/// What happens to a few people, one install and one purchase, step by step. Lines have nothing in common, so that the end
/// of each is defined, whatever the others do meanwhile.
struct Line: Sendable {
    let number: Int
    /// For what is drawn while it is played.
    let seed: UInt64
    let steps: [Step]

    /// All lines of a seed.
    static func plan(seed: UInt64, count: Int) -> [Line] {
        var dice = SeededGenerator(seed: seed)
        return (0..<count).map { number in
            // Every kind of step is there, however few lines there are.
            let steps = Self.steps(special: number % 10, &dice)
            return Line(number: number, seed: dice.next(), steps: steps)
        }
    }

    private static func steps(special: Int, _ dice: inout SeededGenerator) -> [Step] {
        func hits(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &dice) < share }
        func door(_ doors: Step.Door...) -> Step.Door { doors.randomElement(using: &dice) ?? .queue }
        func person() -> Step.Person { hits(0.7) ? .anna : .ben }

        var steps: [Step] = [.identify(.anna, door(.phone, .queue))]
        if special == 1 { steps.append(.attest) }
        if hits(0.7) {
            steps.append(.paywall)
            if hits(0.9) { steps.append(.impression(door(.phone, .queue))) }
        }
        steps.append(.events(.anna, door(.phone, .queue)))
        steps.append(.buy(door(.phone, .queue)))
        if hits(0.6) { steps.append(.catchUp) }
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            switch Int.random(in: 0..<7, using: &dice) {
            case 0: steps.append(.identify(person(), door(.phone, .queue)))
            case 1: steps.append(.identifyThrice(person()))
            case 2, 3: steps.append(.renew(door(.phone, .notification, .queue)))
            case 4: steps.append(.catchUp)
            case 5: steps.append(.verify)
            default: steps.append(.events(person(), door(.phone, .queue)))
            }
        }
        var isClaimed = special == 2 || hits(0.4)
        if isClaimed {
            steps.append(.claim(.ben, door(.phone, .queue)))
            if hits(0.5) { steps.append(.renew(door(.phone, .notification, .queue))) }
            if special != 2, hits(0.3) {
                steps.append(.claim(.anna, door(.phone, .queue)))
                isClaimed = false
            }
        }
        if hits(0.3) { steps.append(.hearsay(door(.phone, .queue))) }
        if hits(0.3) { steps.append(.cancel(door(.notification, .queue))) }
        if hits(0.3) { steps.append(.refund(door(.notification, .queue))) }
        if special == 2 {
            steps += [.undo, .unpin]
            if hits(0.5) { steps.append(.claim(.ben, door(.phone, .queue))) }
        }
        if special == 1 { steps += [.assert, .revoke] }
        if special == 3 {
            steps += [.lateApp, .map]
            if hits(0.7) { steps.append(.names) }
            if hits(0.7) { steps.append(.turn) }
        }
        if special == 4 {
            // What an erased user bought counts on as nobody's, as far as the experiments had heard of it by then: not of
            // him who has seen a paywall.
            let person = steps.contains(.paywall) ? Step.Person.ben : .anna
            // Whoever was never named cannot be forgotten.
            steps.append(.identify(person, .phone))
            steps.append(.erase(person))
            if hits(0.6) { steps.append(.identify(person, door(.phone, .queue))) }
        }
        if special == 5 { steps.append(.poison) }
        if special == 6 { steps.append(.experiment) }
        if special == 7 { steps.append(.receipt) }
        if special == 8 { steps += [.verify, .serverKey] }
        if special == 9 { steps.append(.look) }
        return steps
    }
}
