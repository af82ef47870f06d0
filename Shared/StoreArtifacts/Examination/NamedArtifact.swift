internal import Crypto
internal import FoundationEssentials
internal import JSON

extension RecognisedArtifact {
    /// What can be read of the kinds that are only named. Nobody vouches for any of it.
    var fields: [String: JSONValue] {
        switch kind {
        case .certificate: (try? Certificate(der: bytes))?.fields ?? [:]
        case .iOS6Receipt: OldPropertyList(bytes)["purchase-info"].map { OldPropertyList(encoded: $0).fields } ?? [:]
        case .notificationV1: Self.scalars(bytes)
        default: [:]
        }
    }

    /// A notification of version 1 without the receipts in it, and without the password that belongs to the app.
    private static func scalars(_ bytes: [UInt8]) -> [String: JSONValue] {
        let values = (try? JSONObject(bytes, limits: JSONLimits(bytes: bytes.count)))?.values ?? [:]
        return values.filter { name, value in
            switch value {
            case .array, .object: false
            case .string(let text): name != "password" && text.utf8.count <= 256
            default: true
            }
        }
    }
}

extension Certificate {
    /// Who is who, and from when to when.
    fileprivate var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "subject": .string(subject), "issuer": .string(issuer), "serial": .string(serial),
            "not_before": .string(notBefore.formatted(.iso8601)), "not_after": .string(notAfter.formatted(.iso8601)),
            "sha256": .string(fingerprint.hexadecimal),
        ]
        let name = subject.split(separator: ",").last { $0.hasPrefix("CN=") }
        fields["subject_cn"] = .string(name.map { String($0.dropFirst(3)) } ?? "")
        return fields
    }
}

/// The property lists of NeXTSTEP, as far as old receipts need them: texts by name.
private struct OldPropertyList {
    private let texts: [String: String]

    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
        texts = lines.reduce(into: [:]) { texts, line in
            // { "name" = "text"
            let parts = line.split(separator: "\"", omittingEmptySubsequences: false)
            if parts.count == 5 { texts[String(parts[1])] = String(parts[3]) }
        }
    }

    init(encoded text: String) { self.init(LaxBase64.decode(Array(text.utf8)[...]) ?? []) }

    subscript(name: String) -> String? { texts[name] }

    var fields: [String: JSONValue] { texts.mapValues(JSONValue.string) }
}
