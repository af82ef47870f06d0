package import Messages

/// Counts users into a tally, one after the other.
package struct FunnelCounter {
    /// By number of a bucket's steps, the place of each in the question; −1: it was not asked about.
    package typealias Places = [Int]

    private let stageCount: Int
    /// Whether a stage is compared with others than the stage before it is.
    private let isOther: [Bool]
    /// The place of the step whose answers are counted; nil: none.
    private let asked: Int?
    private var users = 0
    private var refunded = 0
    private var reached: [Int]
    private var fromBefore: [Int]
    private var before: [Int]
    private var answers: [ArraySlice<UInt8>: (users: Int, purchased: Int)] = [:]
    /// The last user who reached each stage, by his number: nothing has to be cleared between users.
    private var lastUser: [Int]

    /// - Parameters:
    ///   - steps: how many are asked about.
    ///   - indices: of each of them; nil: all are different.
    ///   - asked: the place among them of the one whose answers are counted.
    package init(steps: Int, indices: [Int]? = nil, answersTo asked: Int?) {
        stageCount = steps + 2
        isOther = (0..<stageCount).map { stage in
            guard let indices, indices.count == steps, indices.indices.contains(stage), stage > 0 else { return true }
            return indices[stage] != indices[stage - 1]
        }
        self.asked = asked
        reached = Array(repeating: 0, count: stageCount)
        fromBefore = reached
        before = reached
        lastUser = reached
    }

    /// Counts a user.
    package mutating func count(
        _ steps: StepsReached, at places: Places, isExposed: Bool, hasPurchased: Bool, isRefunded: Bool
    ) {
        users += 1
        let user = users
        var answer: ArraySlice<UInt8>?
        steps.forEach { number, value in
            guard places.indices.contains(number), places[number] >= 0 else { return }
            lastUser[places[number]] = user
            if places[number] == asked { answer = value }
        }
        if isExposed { lastUser[stageCount - 2] = user }
        if hasPurchased {
            lastUser[stageCount - 1] = user
            if isRefunded { refunded += 1 }
        }
        var (wasBefore, isAtLast) = (true, true)
        for stage in 0..<stageCount {
            if isOther[stage] { (wasBefore, isAtLast) = (isAtLast, false) }
            if wasBefore { before[stage] += 1 }
            guard lastUser[stage] == user else { continue }
            isAtLast = true
            reached[stage] += 1
            if wasBefore { fromBefore[stage] += 1 }
        }
        if let answer {
            var known = answers[answer] ?? (0, 0)
            known.users += 1
            if hasPurchased { known.purchased += 1 }
            answers[answer] = known
        }
    }

    /// What was counted.
    package var tally: FunnelTally {
        FunnelTally(
            users: users,
            stages: (0..<stageCount).map {
                FunnelTally.Stage(users: reached[$0], fromBefore: fromBefore[$0], before: before[$0])
            }, refunded: refunded,
            answers: asked == nil
                ? nil
                : FunnelTally.bounded(
                    answers.lazy.map { value, count in
                        .init(
                            value: String(decoding: value, as: UTF8.self), users: count.users,
                            purchased: count.purchased)
                    }))
    }
}
