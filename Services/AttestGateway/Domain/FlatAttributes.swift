internal import HTTP
internal import JSON
internal import Messages

/// What an app says of a user: a flat object of texts, numbers, true, false and null.
enum FlatAttributes {
    /// Length of the whole object, as it was sent.
    static let bytes = 8192

    /// The attributes under `name`, of at most `bytes` as sent; nil where there are none.
    ///
    /// - Throws: a 400 that names the object, or the member that is not flat or no number that can be kept.
    static func read(_ name: String, in body: JSONObject, within bytes: Int = bytes) throws -> [String: AttributeValue]?
    {
        guard let range = body.range(of: name), body.bytes[range.lowerBound] != UInt8(ascii: "n") else { return nil }
        guard body.bytes[range.lowerBound] == UInt8(ascii: "{") else { throw JSONError(.wrongType, path: name) }
        guard range.count <= bytes else { throw HTTPError.tooLong(name, most: bytes) }
        do throws(JSONError) {
            // The text has been checked as part of the body, but perhaps for a NUL; that it is an object of its own again
            // costs one short pass.
            let object = try JSONObject(Array(body.bytes[range]), limits: .sdkBody)
            var attributes: [String: AttributeValue] = [:]
            for (member, scalar) in try object.scalars() {
                // A dictionary takes é for e with an accent: one of the two would be lost without a word.
                guard attributes.updateValue(try value(of: scalar, member), forKey: member) == nil else {
                    throw JSONError(.duplicateMember, path: member)
                }
            }
            return attributes
        } catch {
            throw JSONError(error.problem, path: "\(name).\(error.path ?? "")")
        }
    }

    private static func value(of scalar: JSONScalar, _ member: String) throws(JSONError) -> AttributeValue {
        switch scalar {
        case .text(let text): return .text(text)
        case .boolean(let flag): return .flag(flag)
        case .null: return .null
        case .number(let digits):
            if let integer = Int64(digits) { return .integer(integer) }
            // 1e400 is JSON, and no number that anybody could give back.
            guard let number = Double(digits), number.isFinite else { throw JSONError(.badValue, path: member) }
            return .number(number)
        }
    }
}
