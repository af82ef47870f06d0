package import HTTP
package import JSON

/// A route as clients see it.
package struct DocumentedRoute: Sendable {
    /// A body that a route takes.
    package struct Body: Sendable {
        /// Its schema.
        package let schema: JSONValue
        /// Bodies that are taken, by name.
        package let examples: [String: JSONValue]
        /// Whether there has to be one.
        package let isRequired: Bool
        /// What the handler reads it with: throws for what the route answers 400.
        package let read: @Sendable ([UInt8]) throws -> Void

        init(
            _ schema: JSONValue, examples: [String: JSONValue], isRequired: Bool = true,
            read: @escaping @Sendable ([UInt8]) throws -> Void
        ) {
            self.schema = schema
            self.examples = examples
            self.isRequired = isRequired
            self.read = read
        }
    }

    /// Who may call.
    enum Access: Sendable {
        case anybody
        /// A device token is looked at where there is one.
        case deviceTokenWelcome
        case serverKey(scope: String)
    }

    package let method: HTTPMethod
    /// As the router has it.
    package let pattern: String
    /// `operationId`.
    package let name: String
    let tag: String
    let summary: String
    let details: String
    let access: Access
    /// Of path, query and header; those that belong to ``access`` are added.
    let parameters: [JSONValue]
    package let body: Body?
    /// Of the 200.
    package let answer: JSONValue
    /// What it can be refused for, beside ``ErrorCode/transport``.
    package let errors: [ErrorCode]

    init(
        _ method: HTTPMethod, _ pattern: String, name: String, tag: String, _ summary: String, details: String = "",
        access: Access, parameters: [JSONValue] = [], body: Body? = nil, answer: JSONValue, errors: [ErrorCode]
    ) {
        self.method = method
        self.pattern = pattern
        self.name = name
        self.tag = tag
        self.summary = summary
        self.details = details
        self.access = access
        self.parameters = parameters
        self.body = body
        self.answer = answer
        self.errors = errors + ErrorCode.transport
    }
}

extension DocumentedRoute {
    /// The operation object.
    var operation: JSONValue {
        var operation: [String: JSONValue] = [
            "operationId": .string(name), "tags": [.string(tag)], "summary": .string(summary),
            "security": security, "responses": .object(responses),
        ]
        if !details.isEmpty { operation["description"] = .string(details) }
        if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
        if let body {
            operation["requestBody"] = [
                "required": .boolean(body.isRequired),
                "content": [
                    "application/json": [
                        "schema": body.schema, "examples": .object(body.examples.mapValues { ["value": $0] }),
                    ]
                ],
            ]
        }
        return .object(operation)
    }

    private var security: JSONValue {
        switch access {
        case .anybody: []
        case .deviceTokenWelcome: [[:], ["deviceToken": []]]
        case .serverKey: [["serverKey": []]]
        }
    }

    private var responses: [String: JSONValue] {
        var responses: [String: JSONValue] = [
            "200": ["description": "Done.", "content": ["application/json": ["schema": answer]]]
        ]
        for (status, errors) in Dictionary(grouping: errors, by: \.status) {
            responses[String(status)] = Self.refusal(status, errors)
        }
        return responses
    }

    private static func refusal(_ status: Int, _ errors: [ErrorCode]) -> JSONValue {
        let codes = Set(errors.map(\.code)).sorted().map(JSONValue.string)
        let lines = errors.map { "* `\($0.code)`: \($0.meaning)" }
        var response: [String: JSONValue] = [
            "description": .string(lines.joined(separator: "\n")),
            "content": [
                "application/json": [
                    "schema": [
                        "$ref": "#/components/schemas/Refusal",
                        "properties": ["error": ["properties": ["code": ["enum": .array(codes)]]]],
                    ]
                ]
            ],
        ]
        if let header = [401: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"][status] {
            response["headers"] = [header: ["$ref": .string("#/components/headers/\(header)")]]
        }
        return .object(response)
    }
}
