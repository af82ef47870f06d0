internal import HTTP
internal import JSON
internal import Messages

extension DocumentedRoute {
    /// What an app offers, and that it was seen.
    static let paywalls = [paywall, impression]

    private static let installID = TextSchema.identifier(
        "The install: a UUID that the app makes once and keeps. Assignments stick to it.")

    private static let paywall: DocumentedRoute = {
        let members: [String: JSONValue] = [
            "bundleId": TextSchema.identifier("The app."), "installId": installID,
            "appUserId": TextSchema.identifier("The current user: how purchases find their way to the experiment."),
            "entitlement": TextSchema.identifier("Which paywall."),
            "environment": TextSchema.optional(
                "AppTransaction.environment; Production unless given. What is none of StoreKit's names is as Sandbox.",
                within: FieldRules.deviceBytes),
            "forceVariant": TextSchema.optional(
                "This variant, and nothing is recorded; passed over in Production. Answered without experimentId.",
                within: FieldRules.identifierBytes),
        ]
        return DocumentedRoute(
            .post, "/api/sdk/v1/paywall", name: "paywall", tag: "SDK", "Which products a paywall offers",
            details: """
                Safe to fail: without products the app shows its compiled-in list. That is the answer where nothing is \
                configured, where the bundle id belongs to no organisation or to several, and whatever goes wrong \
                inside; nobody waits longer for it than a deadline. Asking assigns an install to a variant, once.
                """,
            access: .deviceTokenWelcome, parameters: [idempotencyKey],
            body: Body(
                TextSchema.object(members, required: ["bundleId", "installId", "appUserId", "entitlement"]),
                examples: [
                    "least": [
                        "bundleId": "com.example.tunes", "installId": "1B7A2C00-8E0F-4B7B-9C7D-000000000000",
                        "appUserId": "user_42", "entitlement": "pro",
                    ],
                    "preview": [
                        "bundleId": "com.example.tunes", "installId": "1B7A2C00-8E0F-4B7B-9C7D-000000000000",
                        "appUserId": "$anon_9f2c", "entitlement": "pro", "environment": "Sandbox", "forceVariant": "b",
                    ],
                ]
            ) { _ = try PaywallBody($0) },
            answer: TextSchema.object(
                [
                    "entitlement": ["type": "string", "description": "The one that was asked about."],
                    "skus": [
                        "type": "array", "description": "In the order in which they are to be shown; may be empty.",
                        "items": TextSchema.object(
                            [
                                "productId": ["type": "string"],
                                "kind": ["type": "string", "description": "subscription or iap."],
                            ], required: ["productId", "kind"]),
                    ],
                    "experimentId": [
                        "type": "string",
                        "description":
                            "While an experiment is running that the install takes part in; for the impression.",
                    ],
                    "variantKey": ["type": "string", "description": "With experimentId, and where forced."],
                    "forced": ["const": true, "description": "Where the caller chose the variant."],
                    "ttlSeconds": ["type": "integer", "description": "How long the answer may be kept."],
                ], required: ["skus"]),
            errors: ErrorCode.json + ErrorCode.idempotency + ErrorCode.deviceToken + [.otherApp, .limited])
    }()

    private static let impression: DocumentedRoute = {
        let members: [String: JSONValue] = [
            "bundleId": TextSchema.identifier("The app."), "installId": installID,
            "experimentId": TextSchema.identifier("As the paywall's answer has it."),
            "renderedSkus": [
                "type": "array", "maxItems": .integer(Int64(PaywallSKU.mostOffers)),
                "items": TextSchema.identifier("A product that was there."),
                "description": "The products that were really shown, in their order; none is news too.",
            ],
            "storefront": TextSchema.optional(
                "The store's country, as StoreKit has it.", within: ImpressionBody.storefrontBytes),
            "environment": TextSchema.optional(
                "As for paywall; unless given, that in which the install was assigned last.",
                within: FieldRules.deviceBytes),
        ]
        return DocumentedRoute(
            .post, "/api/sdk/v1/paywall/impression", name: "impression", tag: "SDK", "A paywall was seen",
            details: """
                To be sent when the paywall appears, after products were loaded. The first one of an install and \
                experiment exposes it, the first with a device token before all without; one for an unknown \
                experiment, or where the install takes no part, is passed over.
                """,
            access: .deviceTokenWelcome, parameters: [idempotencyKey],
            body: Body(
                TextSchema.object(members, required: ["bundleId", "installId", "experimentId", "renderedSkus"]),
                examples: [
                    "seen": [
                        "bundleId": "com.example.tunes", "installId": "1B7A2C00-8E0F-4B7B-9C7D-000000000000",
                        "experimentId": "0197f3a2-5b1c-7c4e-9d2f-000000000000",
                        "renderedSkus": ["com.example.tunes.pro.annual", "com.example.tunes.pro.monthly"],
                        "storefront": "USA",
                    ]
                ]
            ) { _ = try ImpressionBody($0) },
            answer: accepted, errors: writing + [.tooManyElements])
    }()
}
