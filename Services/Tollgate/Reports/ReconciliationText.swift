internal import Messages
internal import Messaging

extension Reconciliation {
    /// For people: a table for each service, what is missing by name, and the verdict as the last line.
    package var text: String {
        var lines: [String] = []
        for service in services {
            lines.append(service.service.rawValue)
            lines += table(of: service.service)
            if let condemned = service.condemned, condemned > 0 {
                lines.append("  \(condemned) given up by the broker, on their way into the dead letters")
            }
            for row in partitions where row.service == service.service {
                lines += row.retryGroups.map { "  in the ladder of \(row.partition): \($0.text)".onOneLine }
                lines += row.deadLetters.map {
                    "  dead in \(row.partition): \($0.count) \(DeadLetterText.kind($0.kind)), \($0.reason) in \($0.step)"
                        .onOneLine
                }
            }
            lines.append("")
        }
        lines += silent.map { "no answer: \($0.service).\($0.partition): \($0.why.onOneLine)\($0.held)" }
        lines += lost.map { "lost: \($0.text)" }
        lines += waitingOrLost.map { "waiting or lost: \($0.text)" }
        lines += tails.map { "unproven: \($0)" }
        if !tails.isEmpty {
            lines += PageText.wrapped(
                """
                There is nothing to be done about what is unproven: what the broker had not confirmed is sent again, by \
                the service, or by whoever got no answer from an edge. Partitions forget such a publisher a week after they \
                heard of it last (TOLLGATE_INBOX_KEPT); then it is named no more.
                """)
        }
        if let heldByTwo {
            lines.append("transactions held by two: \(heldByTwo.count)")
            lines += heldByTwo.map {
                "  \($0.transaction): \($0.users.map(\.rawValue).joined(separator: ", "))".onOneLine
            }
        } else {
            lines.append("transactions held by two: not asked, for not all is at rest")
        }
        lines.append(sentence)
        return lines.joined(separator: "\n")
    }

    /// What cannot be proven: a line for each publisher, and one for each key under which gaps are known.
    private var tails: [String] {
        let keys = Dictionary(grouping: unproven.filter(\.numbers.isEmpty), by: \.publisher)
            .mapValues { Set($0.map(\.routingKey)).sorted() }
        let whole = keys.sorted { $0.key.description < $1.key.description }.map { publisher, keys in
            guard keys.count > 1 else { return "what \(publisher) sent last under \(keys.joined())" }
            let more = keys.count > 4 ? ", … (--json names all)" : ""
            return "what \(publisher) sent last under \(keys.count) routing keys: "
                + keys.prefix(4).joined(separator: ", ") + more
        }
        return whole.map(\.onOneLine) + unproven.filter { !$0.numbers.isEmpty }.map(\.tail)
    }

    private static let columns: [(title: String, value: @Sendable (Row) -> String)] = [
        ("partition", { "\($0.partition)" }), ("accepted", { "\($0.accepted)" }), ("applied", { "\($0.applied)" }),
        ("refused", { "\($0.refused)" }),
        ("repeated", { "\($0.repeated)" }), ("forwarded", { "\($0.forwarded)" }),
        ("retrying", { $0.overdue == 0 ? "\($0.retrying)" : "\($0.retrying) (\($0.overdue) overdue)" }),
        ("dead", { "\($0.dead)" }), ("discarded", { "\($0.discarded)" }),
        ("waiting", { $0.waiting.map(String.init) ?? "?" }),
        ("unpublished", { "\($0.unpublished)" }), ("unproven", { "\($0.unproven)" }), ("lost", { "\($0.lost)" }),
    ]

    private func table(of service: ServiceName) -> [String] {
        let rows = partitions.filter { $0.service == service }
        guard !rows.isEmpty else { return ["  no answer"] }
        let cells = [Self.columns.map(\.title)] + rows.map { row in Self.columns.map { $0.value(row) } }
        let widths = Self.columns.indices.map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { cell in
            "  " + zip(cell, widths).map { String(repeating: " ", count: $1 - $0.count) + $0 }.joined(separator: "  ")
        }
    }
}

extension PartitionReport.RetryGroup {
    /// How many of what, why, and what helps.
    fileprivate var text: String {
        let remedy =
            reason == MessageFault.Reason.kindUnknown.rawValue
            ? """
            ; this release takes no such kind: one that does applies it, and else it is a dead letter a day after it failed \
            first (TOLLGATE_GIVE_UP_AFTER), to be discarded there
            """ : ""
        return "\(count) \(kind), \(reason), since \(since.rfc3339)\(remedy)"
    }
}

extension Look.Silence {
    /// What waits for it to come back.
    fileprivate var held: String { waiting.map { $0 == 0 ? "" : "; \($0) wait in its queue" } ?? "" }
}

extension NumberLedger.Finding {
    /// Whose, where and which.
    fileprivate var text: String {
        "\(service).\(partition) has not seen \(Self.list(numbers)) of \(publisher) under \(routingKey)".onOneLine
    }

    /// What cannot be proven.
    fileprivate var tail: String {
        "what \(publisher) sent last under \(routingKey); of those before, \(Self.list(numbers)) did not arrive at \(service)"
            .onOneLine
    }

    private static func list(_ numbers: NumberSet) -> String {
        let shown = numbers.ranges.prefix(20).map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        return shown.joined(separator: ", ") + (numbers.ranges.count > 20 ? ", …" : "")
    }
}
