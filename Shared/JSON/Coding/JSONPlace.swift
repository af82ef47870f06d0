/// A value in a text that ``JSONCoding`` decodes: for a type of which there are so many that the containers of `Decoder`
/// would be most of what reading them costs.
///
/// It answers nil where the text has something else; then the containers say what is wrong.
public struct JSONPlace {
    private let decoding: JSONDecoding
    private let token: Int

    /// Where `decoder` is; nil for every decoder but ours.
    public init?(_ decoder: any Decoder) {
        guard let decoding = decoder as? JSONDecoding else { return nil }
        self.init(decoding, decoding.place)
    }

    private init(_ decoding: JSONDecoding, _ token: Int) {
        self.decoding = decoding
        self.token = token
    }

    /// The value of a member of an object.
    public func member(_ name: String) -> JSONPlace? {
        guard decoding.isObject(token), let name = decoding.member(name, of: token, from: token + 1) else { return nil }
        return JSONPlace(decoding, name + 1)
    }

    /// Name and value of the member of an object that has no other.
    public var onlyMember: (name: String, value: JSONPlace)? {
        guard decoding.isObject(token), decoding.count(token) == 1 else { return nil }
        return (decoding.name(token + 1), JSONPlace(decoding, token + 2))
    }

    /// A text.
    public var string: String? { try? decoding.string(token) }

    /// A whole number.
    public var integer: Int64? { try? decoding.integer(Int64.self, token) }
}
