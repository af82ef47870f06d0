internal import Crypto
internal import HTTP
internal import JSON
package import Messages

/// The body of `POST /api/v1/verify`, checked. Members that it does not know are passed over.
package struct VerifyBody: Sendable, Equatable {
    /// As long as a body may be.
    package static let bytes = 2 * 1024 * 1024
    /// More than any kind asks for.
    static let mostParameters = 32

    package let app: AppID
    package let artifact: Artifact

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        let body = try JSONObject(bytes, limits: JSONLimits(depth: 32, bytes: Self.bytes))
        app = AppID(rawValue: try FieldRules.identifier("bundleId", in: body))
        artifact = Artifact(kind: try Self.kind(in: body), text: try Self.text(in: body))
    }

    /// The question about it.
    package func question(for app: AppRecord) -> ArtifactVerify {
        ArtifactVerify(
            organisation: app.organisation, app: app.app, artifact: artifact,
            digest: ArtifactDigest(rawValue: Digest.sha256(artifact.text.utf8).hexadecimal))
    }

    private static func kind(in body: JSONObject) throws -> Artifact.Kind {
        guard let name = try body.string("kind") else { return .auto }
        let kind = Artifact.Kind(rawValue: name)
        guard kind == .auto || Artifact.Kind.verifiable.contains(kind) else {
            let names = Artifact.Kind.verifiable.map(\.rawValue).joined(separator: ", ")
            throw HTTPError.badRequest("bad_value", "kind must be auto, \(names)", field: "kind")
        }
        return kind
    }

    /// A text as it is; of an object its members by name, without space, numbers in one spelling: what was meant alike is
    /// one artifact, in whichever order somebody's library has written it.
    private static func text(in body: JSONObject) throws -> String {
        guard let range = body.range(of: "artifact") else { throw JSONError(.missingMember, path: "artifact") }
        guard body.bytes[range].first == UInt8(ascii: "{"), let object = try body.object("artifact") else {
            guard let text = try body.string("artifact") else { throw JSONError(.missingMember, path: "artifact") }
            guard !text.isEmpty else { throw HTTPError.empty("artifact") }
            return text
        }
        guard object.names.count <= mostParameters else {
            throw HTTPError.badRequest(
                "bad_value", "artifact must have at most \(mostParameters) members", field: "artifact")
        }
        return String(decoding: try JSONCoding.encode(parameters(in: object)), as: UTF8.self)
    }

    private static func parameters(in object: JSONObject) throws -> [String: JSONValue] {
        let scalars: [(name: String, value: JSONScalar)]
        do {
            scalars = try object.scalars()
        } catch {
            throw HTTPError.badRequest(
                "wrong_type", "A member of artifact must be a text, a number or a truth value",
                field: "artifact.\(error.path ?? "")")
        }
        return try Dictionary(scalars.map { ($0.name, try value(of: $0.value, $0.name)) }) { first, _ in first }
    }

    private static func value(of scalar: JSONScalar, _ member: String) throws -> JSONValue {
        switch scalar {
        case .text(let text): return .string(text)
        case .boolean(let flag): return .boolean(flag)
        case .null: return .null
        case .number(let digits):
            if let integer = Int64(digits) { return .integer(integer) }
            // 1e400 is JSON, and no number that anybody could give back.
            guard let number = Double(digits), number.isFinite else {
                throw JSONError(.badValue, path: "artifact.\(member)")
            }
            return .double(number)
        }
    }
}
