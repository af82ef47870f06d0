/// The time of an event as a caller writes it.
public enum SentTime {
    /// What a text means: ISO 8601 with or without fraction and offset; without one it is in UTC. Nil for anything else.
    public static func read(_ text: String) -> Timestamp? {
        Timestamp(rfc3339: text) ?? Timestamp(rfc3339: text + "Z")
    }

    /// What a number means, as it was written: milliseconds since 1970, a fraction cut off. Nil for what is no number
    /// that could be one.
    public static func read(number text: String) -> Timestamp? {
        if let milliseconds = Int64(text) { return Timestamp(clamping: milliseconds) }
        guard let milliseconds = Double(text), milliseconds.isFinite else { return nil }
        return Timestamp(
            clamping: Int64(exactly: milliseconds.rounded(.towardZero)) ?? (milliseconds < 0 ? .min : .max))
    }
}
