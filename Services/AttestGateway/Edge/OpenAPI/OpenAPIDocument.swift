internal import HTTP
package import JSON
internal import ServiceKit

/// The OpenAPI 3.1 document of every public route (spec.openapis.org/oas/v3.1.0).
///
/// Limits come from the constants that the handlers use, bodies are read in tests by what the handlers read them with, and
/// the router's routes are compared with these: what is said here is what is done.
package enum OpenAPIDocument {
    /// Every route, in the order in which a client meets them.
    package static let routes =
        DocumentedRoute.sdk + DocumentedRoute.signposts + DocumentedRoute.server + [DocumentedRoute.document]

    /// The whole document.
    package static let value: JSONValue = [
        "openapi": "3.1.0",
        "info": [
            "title": "Tollgate", "version": .string(Release.version), "summary": "In-app purchases, self-hosted.",
            "description": .string(description),
            "license": ["name": "Apache-2.0", "identifier": "Apache-2.0"],
        ],
        "servers": [["url": "/"]],
        "tags": [
            ["name": "SDK", "description": "For apps. CORS is open: there is no secret to protect."],
            ["name": "Server", "description": "For servers, with a key of the organisation (tollgate keys add)."],
            ["name": "Stores", "description": "For servers of stores."],
            ["name": "About", "description": "This document."],
        ],
        "paths": .object(paths),
        "components": [
            "schemas": .object(["Refusal": refusal].merging(AnswerSchemas.named) { $1 }),
            "headers": [
                "Retry-After": [
                    "description": "Whole seconds, at least 1.", "required": true,
                    "schema": ["type": "integer", "minimum": 1],
                ],
                "WWW-Authenticate": ["description": "Bearer.", "required": true, "schema": ["type": "string"]],
            ],
            "securitySchemes": [
                "deviceToken": [
                    "type": "http", "scheme": "bearer", "bearerFormat": "dt_…",
                    "description": "From attest or attest/assert. Optional; one that is there has to be good.",
                ],
                "serverKey": [
                    "type": "http", "scheme": "bearer", "bearerFormat": "tk_…",
                    "description": "From tollgate keys add, with the scope read, write or admin.",
                ],
            ],
        ],
    ]

    private static var paths: [String: JSONValue] {
        Dictionary(grouping: routes, by: \.pattern).mapValues { routes in
            .object(
                Dictionary(uniqueKeysWithValues: routes.map { ($0.method.rawValue.lowercased(), $0.operation) }))
        }
    }

    private static let refusal: JSONValue = [
        "type": "object", "required": ["error"],
        "properties": [
            "error": [
                "type": "object", "required": ["code", "message"],
                "properties": [
                    "code": ["type": "string", "description": "For programs; stable."],
                    "message": ["type": "string", "description": "For people."],
                    "field": ["type": "string", "description": "The member, parameter or header that was wrong."],
                ],
            ]
        ],
    ]

    /// Unless settings say otherwise.
    private static let rates = CallerLimits.Rates()

    private static let description = """
        A write is answered 200 as soon as it is kept, and is seen some milliseconds later. 503 means: not known to be \
        accepted; repeating the same request is safe, always. Bodies are JSON objects in UTF-8, nested at most \
        \(JSONLimits.sdkBody.depth) deep; lengths are counted in bytes of UTF-8; members that are not known are passed \
        over. Times in answers are RFC 3339 in UTC. Members and codes may be added, never renamed.

        Other paths are answered 404 `not_found`, other methods 405 `method_not_allowed` with Allow; OPTIONS tells what \
        there is. Limits of the SDK's routes, unless installation or app have others, a minute: \
        \(rates.organisation) writes with device tokens for an organisation, \(rates.attestedDevice) for one device; \
        without a token \(rates.device) for one device, \(rates.address) for a client address, and \(rates.users) \
        different users for an app.
        """
}
