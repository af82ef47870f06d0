/// How much room text takes on a terminal, as those reckon it: scalar by scalar (Unicode UAX #11, wcwidth).
enum TerminalColumns {
    /// How many columns `text` takes; what stands on top of another takes none.
    static func count(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width(of: $1) } }

    /// As much of one line as fits into `columns`, with an ellipsis where something is left out. Marks pile up only so
    /// high: a stranger may have sent any number of them.
    static func cut(_ text: String, to columns: Int) -> String {
        let most = columns * 4
        var taken = 0
        var kept = text.unicodeScalars.startIndex
        for (place, index) in text.unicodeScalars.indices.enumerated() {
            let next = taken + width(of: text.unicodeScalars[index])
            guard next <= columns, place < most else { return String(text.unicodeScalars[..<kept]) + "…" }
            taken = next
            if taken < columns { kept = text.unicodeScalars.index(after: index) }
        }
        return text
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: 0
        default: wide.contains { $0.contains(scalar.value) } || scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// East Asian wide and full width (EastAsianWidth.txt), with the gaps between them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F265, 0x20000...0x3FFFD,
    ]
}
