package import Messages

extension MessageProperties {
    /// Levels of tables and arrays within each other that are read and written.
    package static let deepestNesting = 64

    /// How many bytes these take in a header frame once `user` is stamped on them; nil where they cannot be sent: a
    /// short text over 255 bytes, nesting beyond the bound, or a number that is infinite or none, over which RabbitMQ
    /// (3.10) closes the connection with an internal error.
    ///
    /// The library finds out only after it has sent half of the message, and the connection is lost then: so it is
    /// counted before.
    package func encodedSize(user: String) -> Int? {
        var size = 2
        func add(_ text: String?) -> Bool {
            guard let text else { return true }
            size += 1 + text.utf8.count
            return text.utf8.count <= 255
        }
        guard add(contentType), add(contentEncoding), add(correlationID), add(replyTo), add(expiration),
            add(messageID), add(type), add(user), add(appID), add(clusterID)
        else { return nil }
        if deliveryMode != nil { size += 1 }
        if priority != nil { size += 1 }
        if timestamp != nil { size += 8 }
        if !headers.entries.isEmpty {
            guard let table = headers.encodedSize(depth: 1) else { return nil }
            size += table
        }
        return size
    }
}

extension HeaderTable {
    fileprivate func encodedSize(depth: Int) -> Int? {
        guard depth <= MessageProperties.deepestNesting else { return nil }
        var size = 4
        for entry in entries {
            guard entry.name.utf8.count <= 255, let value = entry.value.encodedSize(depth: depth) else { return nil }
            size += 1 + entry.name.utf8.count + value
        }
        return size
    }
}

extension HeaderValue {
    /// With the byte that names the type.
    fileprivate func encodedSize(depth: Int) -> Int? {
        switch self {
        case .void: return 1
        case .boolean, .int8, .uint8: return 2
        case .int16, .uint16: return 3
        case .float(let bits): return Float(bitPattern: bits).isFinite ? 5 : nil
        case .double(let bits): return Double(bitPattern: bits).isFinite ? 9 : nil
        case .int32, .uint32: return 5
        case .int64, .uint64, .timestamp: return 9
        case .decimal: return 6
        case .text(let text): return 5 + text.utf8.count
        case .octets(let octets), .bytes(let octets): return 5 + octets.count
        case .table(let table): return table.encodedSize(depth: depth + 1).map { 1 + $0 }
        case .array(let values):
            guard depth < MessageProperties.deepestNesting else { return nil }
            var size = 5
            for value in values {
                guard let encoded = value.encodedSize(depth: depth + 1) else { return nil }
                size += encoded
            }
            return size
        }
    }
}
