package import Messages

extension EventNameBook {
    /// What this book becomes when a caller of `trust` claims `names`, the first ones first served, and what is said to
    /// him. A name that is not good, that he may not claim, or for which there is no room, is refused and uses none of it.
    package func claiming(_ names: [EventName], by trust: Trust, at time: Timestamp) -> (
        book: EventNameBook, value: EventNameClaim.Value
    ) {
        var book = self
        var (accepted, rejected): ([EventName], [EventName]) = ([], [])
        for name in names {
            switch book.verdict(on: name, for: trust) {
            case .unknown where book.isReleased(name, at: time): rejected.append(name)
            case .unknown:
                book.names.append(Entry(name: name, since: time, trust: trust))
                accepted.append(name)
            case .accepted: accepted.append(name)
            case .rejected: rejected.append(name)
            }
        }
        if book != self { book.version = edition + 1 }
        return (book, EventNameClaim.Value(accepted: accepted, rejected: rejected, book: book))
    }

    /// What it becomes when an operator takes `names` back; nil: there would be too many to remember. Names that were
    /// claimed by what was accepted later stay: the word of the operator came late.
    package func releasing(_ names: [EventName], at time: Timestamp) -> EventNameBook? {
        var times = Dictionary((released ?? []).map { ($0.name, $0.at) }, uniquingKeysWith: max)
        for name in names where name.isGood { times[name] = max(times[name] ?? time, time) }
        guard times.count <= Self.mostReleased else { return nil }
        var book = self
        book.released = times.isEmpty ? nil : times.map(Released.init).sorted { $0.name.rawValue < $1.name.rawValue }
        book.names.removeAll { names.contains($0.name) && $0.since <= time }
        if book != self { book.version = edition + 1 }
        return book
    }

    /// What it becomes when only callers of `claims` may claim names.
    package func allowing(_ claims: Trust?) -> EventNameBook {
        var book = self
        book.claims = claims?.isAttested == true ? .attested : nil
        if book != self { book.version = edition + 1 }
        return book
    }
}
