internal import Messages

/// A run for people: one page at its end, a line a second before.
enum LoadText {
    static func page(_ report: LoadReport) -> String {
        let titles = ["", "sent", "accepted", "rejected", "failed", "unsent"]
        func row(_ row: LoadReport.Row) -> [String] {
            [row.name]
                + [
                    row.counts.sent, row.counts.accepted, row.counts.rejected, row.counts.failed, row.counts.unsent,
                ].map(String.init)
        }
        var lines = [
            "\(seconds(.seconds(report.seconds))) through \(report.door), \(rounded(report.rate))/s, seed \(report.run)",
            "",
        ]
        lines += table([titles] + report.kinds.map(row))
        if !report.disturbances.isEmpty {
            lines += ["", "of these, on purpose:"] + table([titles] + report.disturbances.map(row))
        }
        lines += report.reasons.sorted { $0.key < $1.key }.map { "  not accepted: \($0.key), \($0.value) times" }
        if report.reasons["429"] != nil {
            lines.append("  429: the edge limits its callers; TOLLGATE_LIMITS=off of attest-gateway lifts that")
        }
        lines += [""]
        lines += table(
            [["milliseconds", "p50", "p90", "p99", "p99.9", "max", "count"]]
                + report.latencies.map { latency in
                    [name(of: latency)]
                        + [latency.p50, latency.p90, latency.p99, latency.p999, latency.max].map { value in
                            value.map(rounded) ?? "-"
                        } + [String(latency.count)]
                })
        lines += [""]
        lines += table(
            [["", "applied", "refused", "repeated", "retrying", "dead"]]
                + report.services.map { row in
                    [row.service.rawValue]
                        + [row.applied, row.refused, row.repeated, row.retrying, row.dead].map(String.init)
                })
        lines += [""] + report.notes
        lines.append("effects: \(report.applied) seen; asked about \(report.inquiry.asked) people")
        lines += report.inquiry.examples.map { "  \($0)" }
        if report.inquiry.unheard > 0 {
            lines.append("about \(report.inquiry.unheard) others nobody was asked, and nothing else tells (--ask)")
        }
        let lost =
            report.lost.map { report.isLostAtLeast ? "at least \($0)" : String($0) }
            ?? (report.pending > 0 ? "unknown, \(report.pending) are still on their way" : "unknown")
        lines.append("lost \(lost), twice \(report.twice), wrong \(report.wrong)")
        lines.append(report.reconciliation)
        if let late = report.latencies.last?.p99, late > 10 {
            lines.append("the driver itself was late: a lower rate, or a host of its own, makes latencies honest")
        }
        lines += report.thresholds.map { judgement in
            let value = judgement.value.map { ", it is \(rounded($0))" } ?? ", it is not known"
            return "\(judgement.holds ? "holds" : "FAILS"): \(judgement.threshold)\(judgement.holds ? "" : value)"
        }
        lines.append(report.isInterrupted ? "interrupted" : report.isGood ? "passed" : "failed")
        return lines.joined(separator: "\n")
    }

    /// How it goes, for a terminal.
    static func line(
        _ time: Duration, _ standing: LoadLedger.Standing, open: Int, oldest: Duration?, waiting: Int?
    ) -> String {
        func two(_ histogram: LatencyHistogram) -> String {
            [0.5, 0.99].map { histogram.percentile($0).map { rounded($0 / .milliseconds(1)) } ?? "-" }
                .joined(separator: "/")
        }
        let rate = Double(standing.total.sent) / max(0.001, time / .seconds(1))
        var parts = [
            "\(seconds(time)): \(standing.total.sent) sent (\(rounded(rate))/s), \(standing.total.accepted) accepted",
            "p50/p99 to accept \(two(standing.accept)) ms, to effect \(two(standing.effect)) ms",
            "\(open) without effect" + (oldest.map { ", the oldest for \(seconds(time - $0))" } ?? ""),
        ]
        if standing.total.rejected + standing.total.failed > 0 {
            parts.append("\(standing.total.rejected) rejected, \(standing.total.failed) failed")
        }
        if let waiting { parts.append("\(waiting) in queues") }
        return parts.joined(separator: "; ")
    }

    static func seconds(_ duration: Duration) -> String { "\(rounded(duration / .seconds(1))) s" }

    private static func name(of latency: LoadReport.Latency) -> String {
        switch latency.name {
        case "accept": "until accepted"
        case "effect": "until effect"
        default: "driver late"
        }
    }

    /// Three digits, as far as they mean anything.
    private static func rounded(_ number: Double) -> String {
        guard number.isFinite else { return "-" }
        let scale: Double = abs(number) >= 100 ? 1 : abs(number) >= 10 ? 10 : 100
        let value = (number * scale).rounded() / scale
        return value == value.rounded() ? String(Int(max(-9e15, min(9e15, value)))) : String(value)
    }

    private static func table(_ rows: [[String]]) -> [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.compactMap { $0.indices.contains(column) ? $0[column].count : nil }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + space : space + cell
            }.joined(separator: "  ")
        }
    }
}
