package import Messages

extension EventNameBook {
    /// What this book becomes when `names` are claimed, the first ones first served, and what is said to whoever claims
    /// them. A name that is not good, or for which there is no room, is refused and uses none of it.
    package func claiming(_ names: [EventName], at time: Timestamp) -> (
        book: EventNameBook, value: EventNameClaim.Value
    ) {
        var book = self
        var (accepted, rejected): ([EventName], [EventName]) = ([], [])
        for name in names {
            switch book.verdict(on: name) {
            case .unknown:
                book.names.append(Entry(name: name, since: time))
                accepted.append(name)
            case .accepted: accepted.append(name)
            case .rejected: rejected.append(name)
            }
        }
        return (book, EventNameClaim.Value(accepted: accepted, rejected: rejected, book: book))
    }
}
