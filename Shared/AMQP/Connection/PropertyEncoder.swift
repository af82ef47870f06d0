internal import CRabbitMQ
import Messages

/// Puts texts, tables and properties into the shape that librabbitmq sends from.
///
/// The library keeps pointers until it has sent: everything is copied into a pool that lives until ``reset()``, never
/// pointed to where Swift has it.
struct PropertyEncoder: ~Copyable {
    private var pool = amqp_pool_t()

    init() { init_amqp_pool(&pool, 16 << 10) }

    deinit {
        var pool = pool
        empty_amqp_pool(&pool)
    }

    /// Everything handed out before is gone.
    mutating func reset() { recycle_amqp_pool(&pool) }

    mutating func bytes(_ text: String) -> amqp_bytes_t {
        var text = text
        return text.withUTF8 { copy(UnsafeRawBufferPointer($0)) }
    }

    mutating func bytes(_ bytes: [UInt8]) -> amqp_bytes_t {
        bytes.withUnsafeBytes { copy($0) }
    }

    mutating func table(_ table: HeaderTable) -> amqp_table_t {
        guard let entries = allocate(amqp_table_entry_t.self, table.entries.count) else { return amqp_table_t() }
        for (index, entry) in table.entries.enumerated() {
            let value = value(entry.value)
            (entries + index).initialize(to: amqp_table_entry_t(key: bytes(entry.name), value: value))
        }
        return amqp_table_t(num_entries: Int32(table.entries.count), entries: entries)
    }

    mutating func properties(_ properties: MessageProperties, user: String) -> amqp_basic_properties_t {
        var encoded = amqp_basic_properties_t()
        func set(_ flag: Int32) { encoded._flags |= UInt32(flag) }
        if let text = properties.contentType {
            set(AMQP_BASIC_CONTENT_TYPE_FLAG)
            encoded.content_type = bytes(text)
        }
        if let text = properties.contentEncoding {
            set(AMQP_BASIC_CONTENT_ENCODING_FLAG)
            encoded.content_encoding = bytes(text)
        }
        if !properties.headers.entries.isEmpty {
            set(AMQP_BASIC_HEADERS_FLAG)
            encoded.headers = table(properties.headers)
        }
        if let mode = properties.deliveryMode {
            set(AMQP_BASIC_DELIVERY_MODE_FLAG)
            encoded.delivery_mode = mode
        }
        if let priority = properties.priority {
            set(AMQP_BASIC_PRIORITY_FLAG)
            encoded.priority = priority
        }
        if let text = properties.correlationID {
            set(AMQP_BASIC_CORRELATION_ID_FLAG)
            encoded.correlation_id = bytes(text)
        }
        if let text = properties.replyTo {
            set(AMQP_BASIC_REPLY_TO_FLAG)
            encoded.reply_to = bytes(text)
        }
        if let text = properties.expiration {
            set(AMQP_BASIC_EXPIRATION_FLAG)
            encoded.expiration = bytes(text)
        }
        if let text = properties.messageID {
            set(AMQP_BASIC_MESSAGE_ID_FLAG)
            encoded.message_id = bytes(text)
        }
        if let seconds = properties.timestamp {
            set(AMQP_BASIC_TIMESTAMP_FLAG)
            encoded.timestamp = seconds
        }
        if let text = properties.type {
            set(AMQP_BASIC_TYPE_FLAG)
            encoded.type = bytes(text)
        }
        set(AMQP_BASIC_USER_ID_FLAG)
        encoded.user_id = bytes(user)
        if let text = properties.appID {
            set(AMQP_BASIC_APP_ID_FLAG)
            encoded.app_id = bytes(text)
        }
        if let text = properties.clusterID {
            set(AMQP_BASIC_CLUSTER_ID_FLAG)
            encoded.cluster_id = bytes(text)
        }
        return encoded
    }

    private mutating func value(_ value: HeaderValue) -> amqp_field_value_t {
        var field = amqp_field_value_t()
        func set(_ kind: amqp_field_value_kind_t) { field.kind = UInt8(truncatingIfNeeded: kind.rawValue) }
        switch value {
        case .boolean(let flag):
            set(AMQP_FIELD_KIND_BOOLEAN)
            field.value.boolean = flag ? 1 : 0
        case .int8(let number):
            set(AMQP_FIELD_KIND_I8)
            field.value.i8 = number
        case .uint8(let number):
            set(AMQP_FIELD_KIND_U8)
            field.value.u8 = number
        case .int16(let number):
            set(AMQP_FIELD_KIND_I16)
            field.value.i16 = number
        case .uint16(let number):
            set(AMQP_FIELD_KIND_U16)
            field.value.u16 = number
        case .int32(let number):
            set(AMQP_FIELD_KIND_I32)
            field.value.i32 = number
        case .uint32(let number):
            set(AMQP_FIELD_KIND_U32)
            field.value.u32 = number
        case .int64(let number):
            set(AMQP_FIELD_KIND_I64)
            field.value.i64 = number
        case .uint64(let number):
            set(AMQP_FIELD_KIND_U64)
            field.value.u64 = number
        case .float(let bits):
            // The library sends the bits of the union, so no float ever touches a register that could quiet a NaN.
            set(AMQP_FIELD_KIND_F32)
            field.value.u32 = bits
        case .double(let bits):
            set(AMQP_FIELD_KIND_F64)
            field.value.u64 = bits
        case .decimal(let scale, let number):
            set(AMQP_FIELD_KIND_DECIMAL)
            field.value.decimal = amqp_decimal_t(decimals: scale, value: number)
        case .text(let text):
            set(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(text)
        case .octets(let octets):
            set(AMQP_FIELD_KIND_UTF8)
            field.value.bytes = bytes(octets)
        case .bytes(let octets):
            set(AMQP_FIELD_KIND_BYTES)
            field.value.bytes = bytes(octets)
        case .array(let values):
            set(AMQP_FIELD_KIND_ARRAY)
            field.value.array = array(values)
        case .timestamp(let seconds):
            set(AMQP_FIELD_KIND_TIMESTAMP)
            field.value.u64 = seconds
        case .table(let nested):
            set(AMQP_FIELD_KIND_TABLE)
            field.value.table = table(nested)
        case .void: set(AMQP_FIELD_KIND_VOID)
        }
        return field
    }

    private mutating func array(_ values: [HeaderValue]) -> amqp_array_t {
        guard let entries = allocate(amqp_field_value_t.self, values.count) else { return amqp_array_t() }
        for (index, value) in values.enumerated() { (entries + index).initialize(to: self.value(value)) }
        return amqp_array_t(num_entries: Int32(values.count), entries: entries)
    }

    private mutating func copy(_ bytes: UnsafeRawBufferPointer) -> amqp_bytes_t {
        guard let source = bytes.baseAddress, let target = allocate(UInt8.self, bytes.count) else {
            return amqp_bytes_t()
        }
        UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: bytes.count)
        return amqp_bytes_t(len: bytes.count, bytes: target)
    }

    /// Memory of the pool, aligned for anything; nil for nothing.
    private mutating func allocate<Value>(_ type: Value.Type, _ count: Int) -> UnsafeMutablePointer<Value>? {
        guard count > 0 else { return nil }
        let memory = amqp_pool_alloc(&pool, count * MemoryLayout<Value>.stride)
        // As with any Swift allocation: without memory there is nothing to go on with.
        guard let memory else { fatalError("no memory for \(count) \(type)") }
        return memory.bindMemory(to: type, capacity: count)
    }
}
