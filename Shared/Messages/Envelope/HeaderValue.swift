internal import JSON

/// A value in an AMQP header table (AMQP 0-9-1 § 4.2.5.5, with RabbitMQ's types), kept with its exact type so that a
/// message can be put back as it came.
public indirect enum HeaderValue: Sendable, Hashable, Codable {
    /// `t`
    case boolean(Bool)
    /// `b`
    case int8(Int8)
    /// `B`
    case uint8(UInt8)
    /// `s`
    case int16(Int16)
    /// `u`
    case uint16(UInt16)
    /// `I`
    case int32(Int32)
    /// `i`
    case uint32(UInt32)
    /// `l`
    case int64(Int64)
    /// `L`
    case uint64(UInt64)
    /// `f`, as its bits: a NaN survives.
    case float(UInt32)
    /// `d`, as its bits.
    case double(UInt64)
    /// `D`: scale and unscaled value.
    case decimal(scale: UInt8, value: UInt32)
    /// `S` that is UTF-8.
    case text(String)
    /// `S` that is not UTF-8.
    case octets([UInt8])
    /// `x`
    case bytes([UInt8])
    /// `A`
    case array([HeaderValue])
    /// `T`: seconds since 1970.
    case timestamp(UInt64)
    /// `F`
    case table(HeaderTable)
    /// `V`
    case void
}

/// An AMQP header table: names in the order in which they came, doubles kept.
public struct HeaderTable: Sendable, Hashable, Codable {
    /// One name and its value.
    public struct Entry: Sendable, Hashable, Codable {
        /// At most 255 bytes.
        public var name: String
        /// The value with its type.
        public var value: HeaderValue

        /// Pairs them.
        public init(name: String, value: HeaderValue) {
            self.name = name
            self.value = value
        }
    }

    /// All entries.
    public var entries: [Entry]

    /// A table of `entries`.
    public init(_ entries: [Entry] = []) { self.entries = entries }

    /// The first value under `name`. Setting replaces every value of that name; nil removes it.
    public subscript(name: String) -> HeaderValue? {
        get { entries.first { $0.name == name }?.value }
        set {
            guard let newValue else { return entries.removeAll { $0.name == name } }
            guard let index = entries.firstIndex(where: { $0.name == name }) else {
                return entries.append(Entry(name: name, value: newValue))
            }
            entries[index].value = newValue
            // Another reader may take the last one for the valid one.
            var rest = entries[(index + 1)...]
            rest.removeAll { $0.name == name }
            entries.replaceSubrange((index + 1)..., with: rest)
        }
    }

    /// The text under `name`; nil if there is none or it is no text.
    public func text(_ name: String) -> String? {
        guard case .text(let text) = self[name] else { return nil }
        return text
    }

    /// The whole number under `name`, whatever its width; nil if there is none, it is no number, or not within `Int`.
    public func integer(_ name: String) -> Int? {
        switch self[name] {
        case .int8(let number): Int(number)
        case .uint8(let number): Int(number)
        case .int16(let number): Int(number)
        case .uint16(let number): Int(number)
        case .int32(let number): Int(number)
        case .uint32(let number): Int(number)
        case .int64(let number): Int(number)
        case .uint64(let number): Int(exactly: number)
        default: nil
        }
    }
}

extension HeaderTable.Entry {
    private enum CodingKeys: String, CodingKey {
        case name, value
    }

    /// What nearly all headers are, texts and numbers, is read where it stands: each replayed letter has half a dozen.
    public init(from decoder: any Decoder) throws {
        if let place = JSONPlace(decoder), let name = place.member("name")?.string,
            let value = place.member("value").flatMap(HeaderValue.init(frequent:))
        {
            self.init(name: name, value: value)
            return
        }
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: try members.decode(String.self, forKey: .name),
            value: try members.decode(HeaderValue.self, forKey: .value))
    }
}

extension HeaderValue {
    /// `{"text":{"_0":"…"}}` or `{"int64":{"_0":…}}`, as the compiler's `Codable` writes them; nil for all others.
    fileprivate init?(frequent place: JSONPlace) {
        guard let (type, values) = place.onlyMember, let (label, value) = values.onlyMember, label == "_0" else {
            return nil
        }
        switch type {
        case "text":
            guard let text = value.string else { return nil }
            self = .text(text)
        case "int64":
            guard let number = value.integer else { return nil }
            self = .int64(number)
        default: return nil
        }
    }
}
