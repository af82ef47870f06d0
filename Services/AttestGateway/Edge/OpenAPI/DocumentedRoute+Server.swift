internal import HTTP
internal import JSON
internal import Messages

extension DocumentedRoute {
    /// What servers ask, of an organisation and of stores.
    static let server = [user, why, verify, notifications]

    /// `GET /openapi.json` itself.
    static let document = DocumentedRoute(
        .get, "/openapi.json", name: "document", tag: "About", "This document",
        details: "For any page; may be cached for five minutes.", access: .anybody,
        answer: ["type": "object"], errors: [])

    static let bundle = TextSchema.parameter(
        "bundleId", in: "path", TextSchema.identifier("The app."), example: "com.example.tunes")
    static let appUser = TextSchema.parameter(
        "appUserId", in: "path",
        TextSchema.identifier("The user as the app names him, percent-encoded: an id may hold a slash."),
        example: "user_42")
    static let environment = TextSchema.parameter(
        "environment", in: "query",
        [
            "type": "string", "enum": ["production", "sandbox", "xcode"], "default": "production",
            "description": "Where it was bought: sandbox never grants in production.",
        ])
    static let userUnknown = ErrorCode(404, .userUnknown)
    static let resolverUnavailable = ErrorCode(
        503, "resolver_unavailable", "The answer cannot be had now; repeating is safe.")
    static let pathTooLong = ErrorCode(400, "field_too_long", "A part of the path is longer than 256 bytes.")
    static let badQuery = ErrorCode(400, "bad_value", "A query parameter cannot be taken; field names it.")

    private static let user = DocumentedRoute(
        .get, "/api/v1/apps/{bundleId}/users/{appUserId}", name: "user", tag: "Server",
        "A user as one app sees him", details: "Who he is, what he holds, and what that unlocks, now.",
        access: .serverKey(scope: "read"), parameters: [bundle, appUser, environment],
        answer: AnswerSchemas.user,
        errors: ErrorCode.serverKey + [pathTooLong, badQuery, userUnknown, resolverUnavailable])

    private static let why = DocumentedRoute(
        .get, "/api/v1/apps/{bundleId}/users/{appUserId}/entitlements/{entitlement}/why", name: "why", tag: "Server",
        "Why a user has an entitlement, or has not",
        details: """
            What it was at a time, by what was known at a time, and everything that made it so: what stores signed, \
            links won and lost, changed configuration, time that passed; each with what it changed, or why nothing.
            """,
        access: .serverKey(scope: "read"),
        parameters: [
            bundle, appUser,
            TextSchema.parameter(
                "entitlement", in: "path", TextSchema.identifier("What is to be explained, percent-encoded."),
                example: "pro"),
            environment,
            TextSchema.parameter(
                "at", in: "query", time("The time asked about, which may be to come; now unless given.")),
            TextSchema.parameter(
                "known_at", in: "query",
                time("The state of our knowledge: what came later is left out; now unless given.")),
        ],
        answer: AnswerSchemas.why,
        errors: ErrorCode.serverKey + [pathTooLong, badQuery, userUnknown, resolverUnavailable])

    static func time(_ meaning: String) -> JSONValue {
        [
            "anyOf": [
                ["type": "string", "format": "date-time"],
                ["type": "integer", "minimum": -62_135_596_800_000, "maximum": 253_402_300_799_999],
            ],
            "description": .string("\(meaning) RFC 3339, or milliseconds since 1970."),
        ]
    }

    private static let verify = DocumentedRoute(
        .post, "/api/v1/verify", name: "verify", tag: "Server", "The verdict on what a store has signed",
        details: """
            Needs a key with the scope write: what is verified is kept, and tells the other services what it says. A \
            refusal is a verdict too, and answered 200.
            """,
        access: .serverKey(scope: "write"),
        body: Body(
            TextSchema.object(
                [
                    "bundleId": TextSchema.identifier("For which app it has to be good."),
                    "kind": [
                        "type": ["string", "null"],
                        "enum": .array(
                            (["auto"] + Artifact.Kind.verifiable.map(\.rawValue)).map(JSONValue.string) + [.null]),
                        "description": "What it is said to be; auto unless given.",
                    ],
                    "artifact": [
                        "type": ["string", "object"], "minLength": 1,
                        "maxProperties": .integer(Int64(VerifyBody.mostParameters)),
                        "additionalProperties": ["type": ["string", "number", "boolean", "null"]],
                        "description": """
                        Its text: JWS, or Base64 of a receipt; for App Attest and signed purchases an object with \
                        what belongs to it.
                        """,
                    ],
                ], required: ["artifact", "bundleId"]),
            examples: [
                "transaction": [
                    "bundleId": "com.example.tunes", "kind": "transaction",
                    "artifact": "eyJhbGciOiJFUzI1NiJ9.eyJ9.c2lnbmF0dXJl",
                ],
                "purchase": [
                    "bundleId": "com.example.tunes", "kind": "purchase",
                    "artifact": ["signed_data": "{\"orderId\":\"GPA.1\"}", "signature": "c2lnbmF0dXJl"],
                ],
            ]
        ) { _ = try VerifyBody($0) },
        answer: AnswerSchemas.report,
        errors: ErrorCode.json + ErrorCode.serverKey + [
            ErrorCode(503, "validator_unavailable", "The verdict cannot be had now; repeating is safe.")
        ])

    private static let notifications = DocumentedRoute(
        .post, "/apple/v2/notifications/{notificationToken}", name: "notify", tag: "Stores",
        "Apple's server tells of an app's purchases",
        details: "App Store Server Notifications, version 2. tollgate apps add prints the path, which is a secret.",
        access: .anybody,
        parameters: [
            TextSchema.parameter(
                "notificationToken", in: "path", ["type": "string", "minLength": 1, "description": "The app's secret."])
        ],
        body: Body(
            TextSchema.object(
                [
                    "signedPayload": [
                        "type": "string", "pattern": "^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$",
                        "description": "As Apple signed it.",
                    ]
                ], required: ["signedPayload"]),
            examples: ["notification": ["signedPayload": "eyJhbGciOiJFUzI1NiJ9.eyJ9.c2lnbmF0dXJl"]]
        ) { _ = try AppleNotification($0) },
        answer: TextSchema.object(["ok": ["const": true]], required: ["ok"]),
        errors: ErrorCode.json + [
            ErrorCode(400, "notification_version_1", "Of version 1, which carries no signature: set version 2."),
            ErrorCode(400, "notification_forged", "Not signed for this app; looked at only after many such."),
            ErrorCode(404, "notification_token_unknown", "The path is of no app, or not any more."),
            .notAccepted, .registryUnavailable,
        ])
}
