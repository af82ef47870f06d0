internal import HTTP
internal import JSON
internal import Messages

extension DocumentedRoute {
    /// The SDK API.
    static let sdk = [challenge, attest, assert, identify, attribute] + paywalls

    static let idempotencyKey = TextSchema.parameter(
        "Idempotency-Key", in: "header",
        [
            "type": "string", "minLength": 1, "maxLength": .integer(Int64(IdempotencyKey.longest)),
            "pattern": "^[ -~]+$",
            "description": "Names this request: a repeat is known for one. The same key with another body is a 409.",
        ])

    private static let challenge = DocumentedRoute(
        .post, "/api/sdk/v1/attest/challenge", name: "challenge", tag: "SDK", "Something for a device to sign",
        details: """
            Good once, for \(Challenge.lifetime.components.seconds / 60) minutes, at any edge. clientDataHash is the \
            SHA-256 of its text or of its bytes.
            """,
        access: .deviceTokenWelcome, parameters: [idempotencyKey],
        body: Body(["type": "object"], examples: ["nothing": [:]], isRequired: false) { bytes in
            if !bytes.isEmpty { _ = try JSONObject(bytes, limits: .sdkBody) }
        },
        answer: TextSchema.object(
            ["challenge": ["type": "string", "description": "base64url without padding; opaque."]],
            required: ["challenge"]),
        errors: ErrorCode.json + ErrorCode.deviceToken + [ErrorCode.limited] + ErrorCode.idempotency)

    private static func enrolment(
        _ pattern: String, name: String, _ summary: String, details: String, proof kind: DeviceProof.Kind,
        _ meaning: String, longest: Int, refusals: [Refusal]
    ) -> DocumentedRoute {
        let members = [
            "keyId": TextSchema.identifier("The App Attest key id, in Base64."),
            kind.rawValue: TextSchema.identifier(meaning, within: longest),
            "challenge": TextSchema.identifier("The challenge, as it was given."),
            "bundleId": TextSchema.identifier("The app."),
        ]
        let failures = refusals + [.teamMissing]
        return DocumentedRoute(
            .post, pattern, name: name, tag: "SDK", summary, details: details, access: .deviceTokenWelcome,
            parameters: [idempotencyKey],
            body: Body(
                TextSchema.object(members, required: members.keys.sorted()),
                examples: [
                    name: [
                        "keyId": "Yb7q0JVQhLP5cSqpZ1tTk3dnrOUcuSfDvMLFlAkJJ3I=",
                        kind.rawValue: "omNmbXRvYXBwbGUtYXBwYXR0ZXN0",
                        "challenge": "AUqo2Y7jE5", "bundleId": "com.example.tunes",
                    ]
                ]
            ) { _ = try DeviceProof($0, as: kind) },
            answer: TextSchema.object(
                [
                    "deviceToken": [
                        "type": "string",
                        "description": "dt_…, good for \(DeviceToken.lifetime.components.seconds / 86_400) days.",
                    ]
                ],
                required: ["deviceToken"]),
            errors: ErrorCode.json + ErrorCode.deviceToken + [ErrorCode.otherApp, .limited, .registryUnavailable]
                + ErrorCode.idempotency + ErrorCode.challenge + failures.map { ErrorCode(401, $0) } + [
                    ErrorCode(
                        404, "bundle_unresolved", "No organisation, or more than one, has connected this bundle id.")
                ])
    }

    private static let attest = enrolment(
        "/api/sdk/v1/attest", name: "attest", "Enrols a device by App Attest",
        details: """
            The challenge is spent whatever the verdict; the identical body within five minutes gets the first outcome. \
            On a 401 the code names the step that failed.
            """,
        proof: .attestation, "The attestation object, in Base64.", longest: AttestationSubmit.longestAttestation,
        refusals: Refusal.attestation + [.deviceRevoked])

    private static let assert = enrolment(
        "/api/sdk/v1/attest/assert", name: "assert", "A fresh token for an enrolled device",
        details: "Signed with the device's key over SHA-256 of the challenge. Challenges as for attest.",
        proof: .assertion, "The assertion object, in Base64.", longest: AssertionSubmit.longestAssertion,
        refusals: Refusal.assertion + [.deviceUnknown])

    private static let user = TextSchema.identifier("The user as the app names him: opaque, case-sensitive.")
    static let install = TextSchema.optionalIdentifier(
        "Stands for the device in the limits of callers without a token.")
    static let dropped: JSONValue = [
        "type": "string", "enum": ["bundle_unresolved"],
        "description": "Nothing was stored: the bundle id belongs to no organisation, or to more than one.",
    ]

    /// To a write that has nothing else to say.
    static let accepted = TextSchema.object(["ok": ["const": true], "dropped": dropped], required: ["ok"])

    static let writing =
        ErrorCode.json + ErrorCode.idempotency + ErrorCode.deviceToken
        + [ErrorCode.otherApp, .limited, .notAccepted, .registryUnavailable]

    private static let identify: DocumentedRoute = {
        func device(_ meaning: String) -> JSONValue { TextSchema.optional(meaning, within: FieldRules.deviceBytes) }
        let members: [String: JSONValue] = [
            "appUserId": user, "bundleId": TextSchema.identifier("The app."), "installId": install,
            "platform": [
                "description": "ios or android; anything else is passed over.", "examples": ["ios", "android"],
            ],
            "osVersion": device("Of the device."), "deviceModel": device("Of the device."),
            "locale": device("Of the device."),
            "attributes": [
                "type": ["object", "null"],
                "additionalProperties": ["type": ["string", "number", "boolean", "null"]],
                "description": .string(
                    "Merged member by member; null removes one. At most \(FlatAttributes.bytes) bytes as sent."),
            ],
        ]
        return DocumentedRoute(
            .post, "/api/sdk/v1/identify", name: "identify", tag: "SDK", "Who a user is",
            details: "Creates or merges; last-seen moves forward. $anon_… stands for a user before log-in.",
            access: .deviceTokenWelcome, parameters: [idempotencyKey],
            body: Body(
                TextSchema.object(members, required: ["appUserId", "bundleId"]),
                examples: [
                    "least": ["appUserId": "user_42", "bundleId": "com.example.tunes"],
                    "full": [
                        "appUserId": "user_42", "bundleId": "com.example.tunes", "platform": "ios",
                        "osVersion": "26.2", "deviceModel": "iPhone17,2", "locale": "en_US",
                        "installId": "1B7A2C00-8E0F-4B7B-9C7D-000000000000",
                        "attributes": ["plan": "pro", "age": 42, "beta": true, "gone": .null],
                    ],
                ]
            ) { _ = try IdentifyBody($0) },
            answer: TextSchema.object(
                [
                    "ok": ["const": true],
                    "id": ["type": "string", "description": "The stable id of the customer; absent where dropped."],
                    "dropped": dropped,
                ], required: ["ok"]),
            errors: writing)
    }()

    private static let attribute = DocumentedRoute(
        .post, "/api/sdk/v1/attribute", name: "attribute", tag: "SDK", "A transaction belongs to a user",
        details: """
            Does not wait for the verification of jws; a verified one wins over the other members, one that is not \
            good is passed over. Sent again for another user it moves the link, as far as ranks and the app's policy allow.
            """,
        access: .deviceTokenWelcome, parameters: [idempotencyKey],
        body: Body(
            TextSchema.object(
                [
                    "appUserId": user, "bundleId": TextSchema.identifier("The app."), "installId": install,
                    "originalTransactionId": TextSchema.identifier(
                        "The transaction as the store numbers it; on Android the purchase token."),
                    "productId": TextSchema.optional("What was bought.", within: FieldRules.identifierBytes),
                    "jws": TextSchema.optional("The StoreKit 2 signed transaction.", within: nil),
                ], required: ["appUserId", "bundleId", "originalTransactionId"]),
            examples: [
                "claimed": [
                    "appUserId": "user_42", "bundleId": "com.example.tunes",
                    "originalTransactionId": "2000000123456789",
                ],
                "signed": [
                    "appUserId": "user_42", "bundleId": "com.example.tunes",
                    "originalTransactionId": "2000000123456789", "productId": "com.example.tunes.pro.monthly",
                    "jws": "eyJhbGciOiJFUzI1NiJ9.eyJ9.c2lnbmF0dXJl",
                ],
            ]
        ) { _ = try AttributeBody($0) },
        answer: accepted, errors: writing)
}
