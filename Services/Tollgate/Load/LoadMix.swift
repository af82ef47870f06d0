internal import Messages

/// How often each kind of message comes, and how much of the traffic is disturbed.
package struct LoadMix: Sendable {
    /// The kinds that come, with their shares.
    package let kinds: [(kind: LoadKind, share: Int)]
    /// Of all messages, each from 0 to 1.
    package var disturbances: [LoadDisturbance: Double] = [:]
    private let sum: Int

    /// - Throws: ``UsageError`` where nothing is left that can go through `door`.
    package init(_ shares: [String: Int]?, through door: LoadKind.Door) throws(UsageError) {
        let kinds = LoadKind.all.map { kind in (kind, shares.map { $0[kind.name] ?? 0 } ?? kind.share) }
            .filter { $0.1 > 0 }
        // What a default names goes where it can; what an operator names has to.
        let wrong = kinds.first { shares != nil && !$0.0.doors.contains(door) }
        if let wrong { throw UsageError("--mix: \(wrong.0.name) cannot go through \(door.rawValue)") }
        self.kinds = kinds.filter { $0.0.doors.contains(door) }.map { (kind: $0.0, share: $0.1) }
        sum = self.kinds.reduce(0) { $0 + $1.share }
        guard sum > 0 else { throw UsageError("--mix: nothing is left to send") }
    }

    /// `identify=40,attribute=30`; nil for an unknown kind, a share that is no number from 0 to 1,000,000, or a kind
    /// that is named twice.
    package static func shares(_ text: String) -> [String: Int]? {
        var shares: [String: Int] = [:]
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard words.count == 2, LoadKind.all.contains(where: { $0.name == words[0] }), shares[words[0]] == nil,
                let share = Int(words[1]), (0...1_000_000).contains(share)
            else { return nil }
            shares[words[0]] = share
        }
        return shares
    }

    /// Which kind comes next.
    func draw(_ dice: inout LoadDice) -> Int {
        var number = Int.random(in: 0..<sum, using: &dice)
        for (place, entry) in kinds.enumerated() {
            number -= entry.share
            if number < 0 { return place }
        }
        return 0
    }

    /// Whether anything is bought.
    var hasPurchases: Bool {
        part(of: .stale) > 0 || part(of: .forged) > 0
            || kinds.contains {
                [LoadKind.attribute.name, LoadKind.renewal.name, LoadKind.receipt.name].contains($0.kind.name)
            }
    }

    func part(of disturbance: LoadDisturbance) -> Double { disturbances[disturbance] ?? 0 }
}
