package import Messaging

/// Why the broker closed a channel or a connection: a code of AMQP 0-9-1 § 1.2 and RabbitMQ's text.
package struct ClosingReason: Sendable, Hashable {
    package let code: UInt16
    package let text: String

    package init(code: UInt16, text: String) {
        self.code = code
        self.text = text
    }

    /// The error for whoever asked for `subject`.
    package func error(about subject: String) -> BrokerError {
        switch code {
        case 403, 530: .notAllowed(text)
        case 404: .missing("\(subject) (\(text))")
        case 405: .ownedElsewhere(queue: quoted(after: "locked queue ") ?? subject)
        case 406: .differs(difference(of: subject))
        case 311, 320: .disconnected(text)
        default: .unexpected("\(code) \(text) (\(subject))")
        }
    }

    /// RabbitMQ: `PRECONDITION_FAILED - inequivalent arg 'x-message-ttl' for queue 'q' in vhost '/': received '1' but
    /// current is '2'`.
    private func difference(of subject: String) -> String {
        guard let argument = quoted(after: "inequivalent arg "), let received = text.firstRange(of: "received ") else {
            return "\(subject): \(text)"
        }
        let wanted = value(after: received.lowerBound, word: "received ")
        let found = value(after: received.lowerBound, word: "current is ")
        return """
            \(subject) has \(argument) \(found) at the broker, and \(wanted) is wanted here: undo the change of the \
            setting, or, once nothing is in it any more, delete it there and declare it again
            """
    }

    private func value(after start: String.Index, word: String) -> String {
        guard let found = text[start...].firstRange(of: word) else { return "another value" }
        var rest = text[found.upperBound...]
        // RabbitMQ says `the value 'x' of type 'longstr'` where the other side has none.
        if rest.hasPrefix("the value ") { rest = rest.dropFirst("the value ".count) }
        if rest.hasPrefix("'") { return rest.dropFirst().firstIndex(of: "'").map { String(rest[...$0]) } ?? "another" }
        return rest.hasPrefix("none") ? "absent" : String(rest.prefix(40))
    }

    /// The text in single quotes that follows `words`.
    func quoted(after words: String) -> String? {
        guard let start = text.firstRange(of: words + "'")?.upperBound, let end = text[start...].firstIndex(of: "'")
        else {
            return nil
        }
        return String(text[start..<end])
    }
}
