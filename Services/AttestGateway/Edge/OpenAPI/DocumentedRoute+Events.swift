internal import HTTP
internal import JSON
internal import Messages

extension DocumentedRoute {
    /// What users did: as apps tell it, and as servers read it.
    static let signposts = [events, eventNames, page, funnel]

    private static let events: DocumentedRoute = {
        let event: JSONValue = [
            // What is no object is an event that is wrong, and its batch is taken.
            "description": "An object. What is wrong with one drops it alone, and is told.",
            "properties": [
                "name": [
                    "description": .string("\(EventName.expectation). An app has \(EventName.budget) of them."),
                    "examples": ["paywall_viewed", "onboarding_step"],
                ],
                "appUserId": ["description": "The user: 1 to 256 bytes."],
                "bundleId": ["description": "The app, where it is another one than the batch names."],
                "id": ["description": "Of this event: however often it comes, the app has one of this user."],
                "at": [
                    "description": """
                    When it happened: milliseconds since 1970, or ISO 8601; clamped to the last 7 days. On arrival \
                    unless given.
                    """
                ],
                "properties": [
                    "description": .string(
                        """
                        Flat, without NUL, at most \(EventRules.mostPropertyBytes) bytes as sent. An \
                        onboarding_step has a step (as names are written), an index (0 to 99) and perhaps a value (a \
                        text of up to 64 bytes).
                        """)
                ],
            ],
        ]
        let codes = EventFault.atEdge.map { JSONValue.string($0.rawValue) }
        return DocumentedRoute(
            .post, "/api/sdk/v1/events", name: "events", tag: "SDK", "What users have done",
            details: """
                A batch is answered 200 when every part of it is kept. With an id, or with a time, the same event again \
                changes nothing.
                """,
            access: .deviceTokenWelcome, parameters: [idempotencyKey],
            body: Body(
                naming(
                    [
                        "bundleId": TextSchema.optionalIdentifier("The app, here or on each event."),
                        "installId": install,
                        "events": [
                            "type": "array", "minItems": 1, "maxItems": .integer(Int64(EventRules.mostEvents)),
                            "items": event,
                        ],
                    ]),
                examples: [
                    "batch": [
                        "bundleId": "com.example.tunes",
                        "events": [
                            [
                                "name": "paywall_viewed", "appUserId": "user_42", "at": 1_755_798_000_000,
                                "properties": ["placement": "onboarding"],
                            ],
                            [
                                "name": "onboarding_step", "appUserId": "user_42", "at": "2026-08-21T17:40:01Z",
                                "properties": ["step": "choose_plan", "index": 3, "value": "annual"],
                            ],
                        ],
                    ],
                    "several apps": [
                        "bundleId": "com.example.tunes", "installId": "1B7A2C00-8E0F-4B7B-9C7D-000000000000",
                        "events": [
                            ["bundleId": "com.example.tunes", "name": "opened", "appUserId": "user_42", "id": "e-1"],
                            [
                                "bundleId": "com.example.radio", "name": "opened", "appUserId": "$anon_9f2c",
                                "id": "e-2", "at": "2026-08-21T17:40:01.250+02:00", "properties": ["times": 3],
                            ],
                        ],
                    ],
                ]
            ) { _ = try EventsBody($0) },
            answer: TextSchema.object(
                [
                    "ok": ["const": true],
                    "stored": ["type": "integer", "description": "How many are kept; absent where dropped."],
                    "rejectedNames": [
                        "type": "array", "items": ["type": "string"],
                        "description": "Names that cannot be used; absent where there are none.",
                    ],
                    "rejected": [
                        "type": "array", "description": "What was dropped; absent where nothing was.",
                        "items": TextSchema.object(
                            [
                                "index": ["type": "integer", "description": "In the batch, from 0."],
                                "code": ["type": "string", "enum": .array(codes)],
                            ], required: ["index", "code"]),
                    ],
                    "dropped": dropped,
                ], required: ["ok"]),
            errors: writing + [.tooManyElements])
    }()

    /// Of these members; an app has to be named somewhere.
    private static func naming(_ members: [String: JSONValue]) -> JSONValue {
        let somewhere: JSONValue = [
            "required": ["bundleId"], "properties": ["bundleId": ["not": ["type": "null"]]],
        ]
        let onEvents: JSONValue = [
            "properties": ["events": ["contains": JSONValue.object(["type": "object"]).merging(somewhere)]]
        ]
        return TextSchema.object(members, required: ["events"]).merging(["anyOf": [somewhere, onEvents]])
    }

    private static let unavailable = ErrorCode(
        503, "event_ingest_unavailable", "The answer cannot be had now; repeating is safe.")

    private static let eventNames = DocumentedRoute(
        .get, "/api/v1/apps/{bundleId}/signposts/names", name: "eventNames", tag: "Server",
        "The names that an app has used for its events", access: .serverKey(scope: "read"), parameters: [bundle],
        answer: AnswerSchemas.eventNames, errors: ErrorCode.serverKey + [pathTooLong, unavailable])

    private static let page = DocumentedRoute(
        .get, "/api/v1/apps/{bundleId}/signposts", name: "signposts", tag: "Server",
        "Events of an app, the newest first",
        details: "A page at a time, by when they were stored; of several partitions one after the other.",
        access: .serverKey(scope: "read"),
        parameters: [
            bundle,
            TextSchema.parameter("user", in: "query", TextSchema.identifier("Only those of this user.")),
            TextSchema.parameter("name", in: "query", TextSchema.identifier("Only those of this name.")),
            TextSchema.parameter(
                "limit", in: "query",
                [
                    "type": "integer", "minimum": 1, "maximum": .integer(Int64(PageSignposts.mostEvents)),
                    "default": .integer(Int64(PageSignposts.mostEvents)), "description": "How many at most.",
                ]),
            TextSchema.parameter(
                "after", in: "query",
                [
                    "type": "string", "pattern": "^([0-9]|[1-5][0-9]|6[0-3])\\.[0-9]{0,19}$",
                    "description": "What the answer before had as next.",
                ]),
        ],
        answer: AnswerSchemas.signposts,
        errors: ErrorCode.serverKey + [pathTooLong, badQuery, emptyQuery, unavailable])

    private static let funnel = DocumentedRoute(
        .get, "/api/v1/apps/{bundleId}/funnel", name: "funnel", tag: "Server",
        "From the first onboarding step to the purchase",
        details: """
            How many users were shown each step, in declared order, saw a paywall of an experiment, and bought \
            something; of those whose first event of the funnel lies in the time asked about.
            """,
        access: .serverKey(scope: "read"),
        parameters: [
            bundle,
            TextSchema.parameter("from", in: "query", time("The beginning of that time.")),
            TextSchema.parameter("to", in: "query", time("Its end, which does not belong to it.")),
            TextSchema.parameter(
                "by", in: "query",
                ["type": "string", "enum": ["answer"], "description": "By what users are told apart; goes with step."]),
            TextSchema.parameter(
                "step", in: "query", TextSchema.identifier("The step whose answers tell users apart.")),
            environment,
            TextSchema.parameter(
                "trust", in: "query",
                [
                    "type": "string", "enum": ["attested", "unverified", "all"], "default": "all",
                    "description": "By whose word steps and paywalls count, and users of whom they told any.",
                ]),
        ],
        answer: AnswerSchemas.funnel,
        errors: ErrorCode.serverKey + [pathTooLong, badQuery, emptyQuery, unavailable])

    private static let emptyQuery = ErrorCode(
        400, "field_empty", "A query parameter must not be empty; field names it.")
}
