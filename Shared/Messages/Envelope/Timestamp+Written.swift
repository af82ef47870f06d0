extension Timestamp {
    /// As people and queries write it: RFC 3339, or milliseconds since 1970. Nil for anything else, also for milliseconds
    /// before the first year or after the last that can be written.
    public init?(written text: String) {
        if let time = Timestamp(rfc3339: text) {
            self = time
            return
        }
        guard let milliseconds = Int64(text) else { return nil }
        self.init(clamping: milliseconds)
        guard millisecondsSince1970 == milliseconds else { return nil }
    }
}
