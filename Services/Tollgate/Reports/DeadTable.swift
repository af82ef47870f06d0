/// Columns of text: those of numbers stand to the right.
enum DeadTable {
    static func lines(_ titles: [String], _ rows: [[String]], rightAligned: Set<Int> = []) -> [String] {
        let cells = [titles] + rows
        let widths = titles.indices.map { column in cells.map { TerminalColumns.count($0[column]) }.max() ?? 0 }
        return cells.map { row in
            row.indices.map { column in
                let space = String(repeating: " ", count: widths[column] - TerminalColumns.count(row[column]))
                return rightAligned.contains(column) ? space + row[column] : row[column] + space
            }
            .joined(separator: "  ").trimmingEnd
        }
    }
}

extension String {
    /// Without blanks at its end.
    fileprivate var trimmingEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
