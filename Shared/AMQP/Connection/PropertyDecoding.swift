internal import CRabbitMQ
import Messages

// Copies what librabbitmq has decoded out of its memory, which is used again for the next frame. The library has checked
// every length against the frame.

extension MessageProperties {
    init(copying decoded: amqp_basic_properties_t) {
        self.init()
        func has(_ flag: Int32) -> Bool { decoded._flags & UInt32(flag) != 0 }
        if has(AMQP_BASIC_CONTENT_TYPE_FLAG) { contentType = String(copying: decoded.content_type) }
        if has(AMQP_BASIC_CONTENT_ENCODING_FLAG) { contentEncoding = String(copying: decoded.content_encoding) }
        if has(AMQP_BASIC_HEADERS_FLAG) { headers = HeaderTable(copying: decoded.headers, depth: 1) }
        if has(AMQP_BASIC_DELIVERY_MODE_FLAG) { deliveryMode = decoded.delivery_mode }
        if has(AMQP_BASIC_PRIORITY_FLAG) { priority = decoded.priority }
        if has(AMQP_BASIC_CORRELATION_ID_FLAG) { correlationID = String(copying: decoded.correlation_id) }
        if has(AMQP_BASIC_REPLY_TO_FLAG) { replyTo = String(copying: decoded.reply_to) }
        if has(AMQP_BASIC_EXPIRATION_FLAG) { expiration = String(copying: decoded.expiration) }
        if has(AMQP_BASIC_MESSAGE_ID_FLAG) { messageID = String(copying: decoded.message_id) }
        if has(AMQP_BASIC_TIMESTAMP_FLAG) { timestamp = decoded.timestamp }
        if has(AMQP_BASIC_TYPE_FLAG) { type = String(copying: decoded.type) }
        if has(AMQP_BASIC_USER_ID_FLAG) { userID = String(copying: decoded.user_id) }
        if has(AMQP_BASIC_APP_ID_FLAG) { appID = String(copying: decoded.app_id) }
        if has(AMQP_BASIC_CLUSTER_ID_FLAG) { clusterID = String(copying: decoded.cluster_id) }
    }
}

extension HeaderTable {
    fileprivate init(copying table: amqp_table_t, depth: Int) {
        self.init(
            UnsafeBufferPointer(start: table.entries, count: Int(table.num_entries)).map { entry in
                Entry(name: String(copying: entry.key), value: HeaderValue(copying: entry.value, depth: depth))
            })
    }
}

extension HeaderValue {
    /// What stands in for a table or an array that is nested too deep: nobody but an attacker sends one, and a value
    /// nested ten thousand deep could not even be freed.
    private static let tooDeep = HeaderValue.text("nested deeper than \(MessageProperties.deepestNesting) levels")

    fileprivate init(copying field: amqp_field_value_t, depth: Int) {
        switch amqp_field_value_kind_t(rawValue: UInt32(field.kind)) {
        case AMQP_FIELD_KIND_BOOLEAN: self = .boolean(field.value.boolean != 0)
        case AMQP_FIELD_KIND_I8: self = .int8(field.value.i8)
        case AMQP_FIELD_KIND_U8: self = .uint8(field.value.u8)
        case AMQP_FIELD_KIND_I16: self = .int16(field.value.i16)
        case AMQP_FIELD_KIND_U16: self = .uint16(field.value.u16)
        case AMQP_FIELD_KIND_I32: self = .int32(field.value.i32)
        case AMQP_FIELD_KIND_U32: self = .uint32(field.value.u32)
        case AMQP_FIELD_KIND_I64: self = .int64(field.value.i64)
        case AMQP_FIELD_KIND_U64: self = .uint64(field.value.u64)
        case AMQP_FIELD_KIND_F32: self = .float(field.value.u32)
        case AMQP_FIELD_KIND_F64: self = .double(field.value.u64)
        case AMQP_FIELD_KIND_DECIMAL:
            self = .decimal(scale: field.value.decimal.decimals, value: field.value.decimal.value)
        case AMQP_FIELD_KIND_TIMESTAMP: self = .timestamp(field.value.u64)
        case AMQP_FIELD_KIND_BYTES: self = .bytes([UInt8](copying: field.value.bytes))
        case AMQP_FIELD_KIND_UTF8:
            let octets = UnsafeRawBufferPointer(start: field.value.bytes.bytes, count: field.value.bytes.len)
            self = String(validating: octets, as: UTF8.self).map(HeaderValue.text) ?? .octets(Array(octets))
        case AMQP_FIELD_KIND_ARRAY:
            guard depth < MessageProperties.deepestNesting else {
                self = Self.tooDeep
                return
            }
            let array = field.value.array
            self = .array(
                UnsafeBufferPointer(start: array.entries, count: Int(array.num_entries)).map { value in
                    HeaderValue(copying: value, depth: depth + 1)
                })
        case AMQP_FIELD_KIND_TABLE:
            guard depth < MessageProperties.deepestNesting else {
                self = Self.tooDeep
                return
            }
            self = .table(HeaderTable(copying: field.value.table, depth: depth + 1))
        default: self = .void
        }
    }
}

extension String {
    /// Bytes that are not UTF-8 become U+FFFD.
    init(copying bytes: amqp_bytes_t) {
        self.init(decoding: UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len), as: UTF8.self)
    }
}

extension [UInt8] {
    init(copying bytes: amqp_bytes_t) {
        self.init(UnsafeRawBufferPointer(start: bytes.bytes, count: bytes.len))
    }
}
