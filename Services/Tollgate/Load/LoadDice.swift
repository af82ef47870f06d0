/// Random numbers that a seed repeats (SplitMix64, Steele et al. 2014): a run can be sent once more.
struct LoadDice: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// True in the share `part` of all throws.
    mutating func hits(_ part: Double) -> Bool { part > 0 && Double.random(in: 0..<1, using: &self) < part }
}
