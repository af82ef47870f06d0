internal import FoundationEssentials
internal import Messages

/// Dead letters for people.
enum DeadLetterText {
    /// `3m`, `2h`, `5d`: two digits say enough.
    static func age(of time: Timestamp, at now: Timestamp) -> String {
        let seconds = max(0, now.since(time).wholeMilliseconds / 1000)
        switch seconds {
        case ..<120: return "\(seconds)s"
        case ..<7200: return "\(seconds / 60)m"
        case ..<172_800: return "\(seconds / 3600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    static func cut(_ text: String, to width: Int) -> String {
        TerminalColumns.cut(text.onOneLine, to: width)
    }

    /// Three lines.
    static func entry(_ letter: DeadLetterView, at place: Place, now: Timestamp) -> String {
        let tries = letter.attempts == 1 ? "1 try" : "\(letter.attempts) tries"
        let lives = letter.generation == 0 ? "" : ", replayed \(letter.generation)×"
        var lines = [
            "\(place)/\(letter.number)  \(kind(letter.kind))  \(letter.reason) at \(letter.step), \(tries)\(lives)"
                .onOneLine
        ]
        let key = letter.key.map { ", key \(cut($0, to: 200))" } ?? ""
        lines.append(
            "    died \(age(of: letter.lastFailure, at: now)) ago, failed first \(age(of: letter.firstFailure, at: now)) ago, version \(letter.version)\(key), id \(letter.id)"
                .onOneLine)
        if let forgotten = letter.forgotten {
            lines.append(
                "    forgotten \(forgotten.at.rfc3339) by \(forgotten.by): \(cut(forgotten.why, to: 200))".onOneLine)
            lines.append("    nothing is kept of what it said")
            return lines.joined(separator: "\n")
        }
        lines.append("    \(cut(letter.text, to: 200))")
        if let discarded = letter.discarded {
            lines.append(
                "    discarded \(discarded.at.rfc3339) by \(discarded.by): \(cut(discarded.why, to: 200))".onOneLine)
        }
        return lines.joined(separator: "\n")
    }

    static func kind(_ kind: String) -> String { kind.isEmpty ? "(no kind)" : kind }

    /// Everything that is known of one.
    static func page(_ letter: DeadLetterView, at place: Place, now: Timestamp) -> String {
        var lines = [entry(letter, at: place, now: now)]
        lines.append("  first failure  \(letter.firstFailure.rfc3339)")
        lines.append("  last failure   \(letter.lastFailure.rfc3339)")
        if letter.forgotten != nil {
            if let discarded = letter.discarded {
                lines.append("  discarded      \(discarded.at.rfc3339) by \(discarded.by)".onOneLine)
            }
            lines.append("  came through   \(letter.exchange), bucket \(letter.bucket)".onOneLine)
            return lines.joined(separator: "\n")
        }
        lines.append(
            "  came through   \(letter.exchange) under \(letter.routingKey), bucket \(letter.bucket)".onOneLine)
        if let origin = letter.origin { lines.append("  imported from  \(origin)".onOneLine) }
        if let by = letter.editedBy, let at = letter.editedAt {
            lines.append("  edited         \(at.rfc3339) by \(by); the original body is below".onOneLine)
        }
        if let properties = letter.properties {
            lines.append("properties")
            lines += Self.lines(of: properties)
        }
        if let body = letter.body {
            lines += ["body, \(letter.size) bytes", text(of: body)]
        } else {
            lines.append("body, \(letter.size) bytes: too many to be shown")
        }
        if let original = letter.original { lines += ["original body", text(of: original)] }
        return lines.joined(separator: "\n")
    }

    private static func lines(of properties: MessageProperties) -> [String] {
        let texts: [(String, String?)] = [
            ("type", properties.type), ("message_id", properties.messageID),
            ("correlation_id", properties.correlationID), ("reply_to", properties.replyTo),
            ("user_id", properties.userID), ("app_id", properties.appID), ("content_type", properties.contentType),
            ("content_encoding", properties.contentEncoding), ("expiration", properties.expiration),
            ("cluster_id", properties.clusterID), ("timestamp", properties.timestamp.map(String.init)),
            ("priority", properties.priority.map { String($0) }),
            ("delivery_mode", properties.deliveryMode.map { String($0) }),
        ]
        return texts.compactMap { name, text in text.map { "  \(name) = \(cut($0, to: 300))" } }
            + properties.headers.entries.map {
                "  header \(cut($0.name, to: 80)) = \(cut(text(of: $0.value), to: 300))"
            }
    }

    static func text(of value: HeaderValue) -> String {
        switch value {
        case .boolean(let flag): String(flag)
        case .int8(let number): String(number)
        case .uint8(let number): String(number)
        case .int16(let number): String(number)
        case .uint16(let number): String(number)
        case .int32(let number): String(number)
        case .uint32(let number): String(number)
        case .int64(let number): String(number)
        case .uint64(let number): String(number)
        case .float(let bits): String(Float(bitPattern: bits))
        case .double(let bits): String(Double(bitPattern: bits))
        case .decimal(let scale, let number): "\(number)e-\(scale)"
        case .text(let text): text
        case .octets(let bytes), .bytes(let bytes): hexadecimal(bytes)
        case .array(let values): "[" + values.prefix(20).map(text(of:)).joined(separator: ", ") + "]"
        case .timestamp(let seconds): "@\(seconds)"
        case .table(let table):
            "{" + table.entries.prefix(20).map { "\($0.name): \(text(of: $0.value))" }.joined(separator: ", ") + "}"
        case .void: "(void)"
        }
    }

    /// The body line by line; what is no text is shown as bytes, and what is long is cut: export has it all.
    private static func text(of body: Octets) -> String {
        let most = 16_384
        guard let text = body.text else {
            return "  \(hexadecimal(Array(body.bytes.prefix(512))))\(body.bytes.count > 512 ? "…" : "")"
        }
        let shown = text.utf8.count > most ? String(text.prefix(most)) : text
        let lines = shown.onItsLines.split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { "  " + $0 }.joined(separator: "\n")
            + (text.utf8.count > most ? "\n  … cut; tollgate dead export has it all" : "")
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.prefix(512).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
}
