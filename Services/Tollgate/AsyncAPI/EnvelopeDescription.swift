internal import JSON

/// What travels around a body: the properties and headers of the interface, for whoever reads or publishes messages.
enum EnvelopeDescription {
    /// AMQP properties. A stranger may leave out all of them, if the header `kind` is there in the place of `type`.
    static let properties: JSONValue = [
        "type": "The kind. Tools that cannot set it name the kind in the header kind.",
        "message_id": """
        The message's identity, a UUIDv7: what has been applied under it is not applied again, and the same id with \
        another body is a dead letter (id_reused). Absent: the SHA-256 of kind and body stands in for 24 hours, so \
        that the same bytes are one message.
        """,
        "correlation_id": "Comes back with the answer.",
        "reply_to": "The queue for the answer; absent: no answer.",
        "timestamp": "When it was published, in seconds since 1970.",
        "app_id": "The publishing service.",
        "user_id": """
        The login of the publisher, which the broker validates. Absent: a stranger, whatever the login; what only \
        certain users may publish is then a dead letter (not_from_owner).
        """,
        "content_type": "application/json",
        "delivery_mode": "2 (persistent) for commands and events, so that the broker keeps them on disk.",
    ]

    /// AMQP headers, as a schema.
    static let headers: JSONValue = [
        "type": "object",
        "properties": [
            "kind": text("The kind, where type cannot be set."),
            "key": text(
                """
                What the message is about; with it a partition finds out that a message is not its own, and passes it on. \
                Absent: the bucket of the routing key is believed.
                """),
            "accepted_at": [
                "type": "string", "format": "date-time",
                "description": """
                When the fact was accepted from its author; with the message id the version of claims and \
                attributes. Absent, or later than arrival: the time of arrival.
                """,
            ],
            "cause": text("The message that this one follows from."),
            "by": text("Who has an operator's command done, as he names himself, for the audit trail."),
            "traceparent": text("W3C trace context."),
            "attempt": number("How often it has been through the retry ladder. Set by services."),
            "first_failure": ["type": "string", "format": "date-time", "description": "When it failed first."],
            "generation": number("How often an operator has replayed it. Set by services."),
            "forwards": number("How often a partition that does not own its key has passed it on. Set by services."),
            "publisher": text("The incarnation that numbered it. Of services alone; a stranger's is not counted."),
            "seq": number("Its number under that routing key, from 1. Of services alone."),
            "first_user": text(
                "The login that published the original of a copy; believed only from the queue's service."),
            "condemned": text(
                "Why the broker gave it up; from the queue's service it is a dead letter at once, unopened."),
        ],
    ]

    private static func text(_ meaning: String) -> JSONValue { ["type": "string", "description": .string(meaning)] }
    private static func number(_ meaning: String) -> JSONValue {
        ["type": "integer", "minimum": 0, "description": .string(meaning)]
    }
}
