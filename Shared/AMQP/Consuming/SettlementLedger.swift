/// Which deliveries of a channel are unsettled, and how to settle some with few frames. Tags count from 1.
package struct SettlementLedger {
    /// One frame to send: settles `tag`, and everything unsettled before it if `upTo`.
    package struct Frame: Equatable {
        package var tag: UInt64
        package var upTo: Bool

        package init(tag: UInt64, upTo: Bool) {
            self.tag = tag
            self.upTo = upTo
        }
    }

    /// Everything below is settled.
    private var lowest: UInt64 = 1
    private var highest: UInt64 = 0
    /// Settled, but not everything before them.
    private var settledAbove: Set<UInt64> = []

    package init() {}

    /// A delivery has come in.
    package mutating func delivered(_ tag: UInt64) { highest = max(highest, tag) }

    /// The frames that settle `tags`. What is settled already, or was never delivered, is passed over: the broker would
    /// close the channel over it.
    package mutating func settle(_ tags: [UInt64]) -> [Frame] {
        let wanted = tags.filter { $0 >= lowest && $0 <= highest && !settledAbove.contains($0) }.sorted()
        var frames: [Frame] = []
        var prefix = 0
        var previous: UInt64 = 0
        for tag in wanted where tag != previous {
            previous = tag
            if tag == lowest {
                prefix += 1
                lowest += 1
                while settledAbove.remove(lowest) != nil { lowest += 1 }
                frames = [Frame(tag: tag, upTo: prefix > 1)]
            } else {
                settledAbove.insert(tag)
                frames.append(Frame(tag: tag, upTo: false))
            }
        }
        return frames
    }
}
