internal import Crypto
internal import FoundationEssentials
public import JSON

extension Attestation {
    /// What it says, in the names of reports. Times are UTC.
    public var fields: [String: JSONValue] {
        var fields: [String: JSONValue] = [
            "key_id": .string(Base64.standard.encode(keyID)),
            "public_key_x963_b64": .string(Base64.standard.encode(publicKey)),
            "environment": .string(environment.rawValue),
            "counter": .integer(Int64(counter)),
            "flags": .integer(Int64(flags)),
            "leaf_not_before": .string(notBefore.formatted(.iso8601)),
            "leaf_not_after": .string(notAfter.formatted(.iso8601)),
            "receipt_sha256": .string(Digest.sha256(receipt).hexadecimal),
            "certificate_extensions": .object(certificateExtensions),
        ]
        fields["extensions"] = extensions.map(JSONValue.object)
        fields["bundle_version"] = bundleVersion.map(JSONValue.string)
        fields["validation_category"] = validationCategory.map { .integer(Int64($0)) }
        return fields
    }
}
