internal import Crypto
internal import HTTP
internal import Messages

/// The key with which a server asks: `Authorization: Bearer tk_…`. Known here by its digest alone.
package struct ServerKey: Sendable, Hashable {
    /// SHA-256 of the whole text, `tk_` included, in lower-case hexadecimal.
    package let digest: String

    /// The key of a request.
    ///
    /// - Throws: 401 `key_missing`, or `key_unknown` for what cannot be a key.
    package init(authorization: String?) throws {
        guard let authorization else { throw Self.missing }
        // The scheme's name has no case (RFC 9110 § 11.1).
        guard authorization.utf8.count <= 512, authorization.prefix(7).lowercased() == "bearer ",
            case let text = authorization.dropFirst(7).drop(while: { $0 == " " }), text.hasPrefix("tk_")
        else { throw Self.unknown }
        digest = Digest.sha256(text.utf8).hexadecimal
    }

    /// - Throws: 401 `key_revoked`, 403 `scope_insufficient`.
    static func check(_ key: KeyRecord, allows scope: KeyRecord.Scope) throws {
        if key.revokedAt != nil { throw HTTPError.unauthorized("key_revoked", "This key has been revoked") }
        let scopes = KeyRecord.Scope.all
        guard let granted = scopes.firstIndex(of: key.scope), let asked = scopes.firstIndex(of: scope), granted >= asked
        else { throw HTTPError.forbidden("scope_insufficient", "This key may not \(scope)") }
    }

    static let missing = HTTPError.unauthorized("key_missing", "A server key is needed: Authorization: Bearer tk_…")
    static let unknown = HTTPError.unauthorized("key_unknown", "This is not a key of this installation")
}
