/// Goes through the events of all partitions together, the one that was stored last first.
public enum SignpostsWalk {
    /// Where a walk has come to in each partition: `17.-.455`, with `-` for those of which there are no more.
    public struct Position: Sendable, Hashable, CustomStringConvertible {
        /// By partition: behind which place to go on; nil: it is at its end.
        public var places: [Int64?]

        /// A position of these.
        public init(places: [Int64?]) { self.places = places }

        /// As it is written.
        public init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= Bucket.count else { return nil }
            var places: [Int64?] = []
            for part in parts {
                guard part == "-" || Int64(part) != nil else { return nil }
                places.append(Int64(part))
            }
            self.places = places
        }

        /// As it is written.
        public var description: String { places.map { $0.map(String.init) ?? "-" }.joined(separator: ".") }
    }

    /// The next events, and where to go on; nil: there are no more.
    ///
    /// - Parameters:
    ///   - question: which events; partition and place are the walk's.
    ///   - start: where the walk before ended; nil: at the newest.
    ///   - ask: puts a question to the partition that it names.
    /// - Throws: ``Refusal`` `position_invalid` for a position of another number of partitions; what `ask` throws.
    public static func newest(
        _ question: SignpostsPage, from start: Position?, limit: Int,
        ask: (SignpostsPage) async throws -> SignpostsPage.Value
    ) async throws -> (events: [StoredEvent], next: Position?) {
        var question = question
        (question.isForward, question.limit) = (nil, min(max(limit, 1), 500))
        var sources: [Source]
        if let start {
            sources = start.places.map { Source(after: $0, isAtEnd: $0 == nil) }
        } else {
            // The first one says how many there are.
            question.partition = 0
            let page = try await ask(question)
            sources = Array(repeating: Source(), count: min(max(page.partitions, 1), Bucket.count))
            try sources[0].take(page)
        }
        var events: [StoredEvent] = []
        while events.count < limit {
            for partition in sources.indices {
                while sources[partition].isDry {
                    question.partition = partition
                    question.after = sources[partition].after.map(String.init)
                    let page = try await ask(question)
                    guard page.partitions == sources.count else {
                        throw Refusal("position_invalid", "There are \(page.partitions) partitions now")
                    }
                    try sources[partition].take(page)
                }
            }
            let newest = sources.indices.filter { !sources[$0].events.isEmpty }
                .max { sources[$0].events[0].storedAt < sources[$1].events[0].storedAt }
            guard let newest else { return (events, nil) }
            events.append(sources[newest].events.removeFirst())
        }
        let position = Position(places: sources.map(\.position))
        return (events, position.places.allSatisfy { $0 == nil } ? nil : position)
    }
}

/// What a partition has told so far.
private struct Source {
    var events: [StoredEvent] = []
    var after: Int64?
    var isAtEnd = false

    /// Whether it has to be asked.
    var isDry: Bool { events.isEmpty && !isAtEnd }

    /// From where on the walk goes on another time: what has been told and not been taken is told again.
    var position: Int64? {
        if let place = events.first?.place { return place == .max ? place : place + 1 }
        return isAtEnd ? nil : after
    }

    mutating func take(_ page: SignpostsPage.Value) throws {
        events = page.events
        isAtEnd = page.next == nil
        let next = page.next.flatMap { Int64($0) }
        guard isAtEnd || next != nil && next != after else {
            throw Refusal("position_invalid", "A partition goes round in circles")
        }
        after = next
    }
}
