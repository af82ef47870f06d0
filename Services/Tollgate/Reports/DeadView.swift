package import Messages

/// What `dead watch` shows: fits 80 columns.
///
/// Pure: two looks give the rates.
package struct DeadView: Encodable, Sendable {
    /// One service, its partitions put together.
    package struct Row: Encodable, Sendable {
        package var service: ServiceName
        package var dead = 0
        package var discarded = 0
        package var replaying = 0
        package var retrying = 0
        /// Since when the oldest dead letter waits.
        package var oldest: Timestamp?
        package var everDied = 0
        package var everEnded = 0
        /// Why there is nothing to see.
        package var isSilent = false

        /// Nothing yet.
        package init(_ service: ServiceName) { self.service = service }

        /// Takes in a partition.
        package mutating func add(_ value: DeadGroupsGet.Value) {
            dead += value.dead
            discarded += value.discarded
            replaying += value.replaying
            retrying += value.retrying
            oldest = [oldest, value.oldest].compactMap { $0 }.min()
            everDied += value.everDied
            everEnded += value.everEnded
        }
    }

    /// When.
    package var at: Timestamp
    package var rows: [Row]
    /// The largest groups.
    package var groups: [DeadGroupsGet.Group]

    /// A look of these.
    package init(at: Timestamp, rows: [Row], groups: [DeadGroupsGet.Group]) {
        self.at = at
        self.rows = rows
        self.groups = groups
    }

    /// - Parameter before: an earlier look; nil: there are no rates yet.
    package func text(since before: DeadView?) -> String {
        let seconds = before.map { Double(at.since($0.at).wholeMilliseconds) / 1000 } ?? 0
        func rate(_ service: ServiceName, _ count: (Row) -> Int) -> String {
            guard let old = before?.rows.first(where: { $0.service == service }), seconds > 0,
                let new = rows.first(where: { $0.service == service }), !old.isSilent, !new.isSilent
            else { return "-" }
            let perSecond = Double(max(0, count(new) - count(old))) / seconds
            return perSecond >= 10 ? String(Int(perSecond.rounded())) : String((perSecond * 10).rounded() / 10)
        }
        let cells = rows.map { row -> [String] in
            let name = DeadLetterText.cut(row.service.rawValue, to: 20)
            guard !row.isSilent else { return [name, "no answer", "", "", "", "", "", ""] }
            return [
                name, String(row.dead), row.oldest.map { DeadLetterText.age(of: $0, at: at) } ?? "-",
                rate(row.service, \.everDied), String(row.replaying), String(row.retrying), String(row.discarded),
                rate(row.service, \.everEnded),
            ]
        }
        let titles = ["service", "dead", "oldest", "died/s", "replay", "retry", "archive", "ended/s"]
        var lines = DeadTable.lines(titles, cells, rightAligned: [1, 2, 3, 4, 5, 6, 7])
        if !groups.isEmpty {
            lines.append("")
            lines += groups.prefix(10).map { group in
                let count = String(group.count)
                let space = String(repeating: " ", count: max(0, 7 - count.count))
                let last = DeadLetterText.age(of: group.lastSeen, at: at)
                let why = "\(DeadLetterText.kind(group.kind)): \(group.reason) at \(group.step), last \(last) ago"
                return DeadLetterText.cut("\(space)\(count)  \(why)", to: 80)
            }
        }
        return lines.map { DeadLetterText.cut($0, to: 80) }.joined(separator: "\n")
    }
}
