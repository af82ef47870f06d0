internal import COpenSSL
public import FoundationEssentials

/// A certificate and those that may stand between it and a trusted one.
public struct CertificateChain: Sendable {
    /// The certificate in question.
    public let leaf: Certificate
    /// May be used to reach a root, in any order; none of them is believed.
    public let intermediates: [Certificate]

    /// What came of the check.
    public enum Verdict: Sendable {
        /// The path from the leaf to the root, both included.
        case trusted(path: [Certificate])
        /// No such path, or something is wrong in it.
        case refused(Refusal)
    }

    /// Why the leaf is not trusted.
    public struct Refusal: Sendable, Equatable {
        /// The path is complete, but one of its certificates is not valid at that date.
        public let isOutsideValidity: Bool
        /// OpenSSL's words, as in `openssl verify`.
        public let text: String
    }

    /// Puts the certificates side by side; nothing is checked yet.
    public init(leaf: Certificate, intermediates: [Certificate]) {
        self.leaf = leaf
        self.intermediates = intermediates
    }

    /// Looks for a path to one of `roots` in which everything is right at `date`: signatures, validity, basic
    /// constraints, path lengths, key usage, names (RFC 5280 § 6).
    ///
    /// Only `roots` are trusted, whatever the system trusts. Marker extensions, extended key usage and the length
    /// of the path are left to the caller.
    ///
    /// - Parameters:
    ///   - securityLevel: As in `man SSL_CTX_set_security_level`. 2 asks for 112 bits; Apple's SHA-1 chain of before 2023
    ///     needs 0.
    ///   - endsAtAnyRoot: Whether `roots` may hold certificates that somebody else has signed, such as intermediates that
    ///     have been followed to their root before.
    /// - Throws: ``CryptoError`` when the check could not be made.
    public func verdict(
        against roots: [Certificate], at date: Date, securityLevel: Int32 = 2, endsAtAnyRoot: Bool = false
    ) throws(CryptoError) -> Verdict {
        let trusted = try Self.stack(of: roots)
        defer { tollgate_stack_free(trusted) }
        let untrusted = try Self.stack(of: intermediates)
        defer { tollgate_stack_free(untrusted) }
        guard let store = X509_STORE_new() else { throw .current("X509_STORE_new") }
        defer { X509_STORE_free(store) }
        guard let context = X509_STORE_CTX_new() else { throw .current("X509_STORE_CTX_new") }
        defer { X509_STORE_CTX_free(context) }
        guard X509_STORE_CTX_init(context, store, leaf.handle, untrusted) == 1,
            let parameters = X509_STORE_CTX_get0_param(context)
        else { throw .current("X509_STORE_CTX_init") }
        X509_STORE_CTX_set0_trusted_stack(context, trusted)
        // Out of range is clamped: it is outside any validity then as well.
        let seconds = date.timeIntervalSince1970
        X509_VERIFY_PARAM_set_time(parameters, seconds.isFinite ? time_t(min(max(seconds, 0), 253_402_300_799)) : 0)
        X509_VERIFY_PARAM_set_auth_level(parameters, securityLevel)
        if endsAtAnyRoot { X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_PARTIAL_CHAIN)) }

        defer { ERR_clear_error() }
        if X509_verify_cert(context) == 1 { return .trusted(path: try Self.path(of: context)) }
        let code = X509_STORE_CTX_get_error(context)
        guard code != X509_V_ERR_OUT_OF_MEM else { throw .current("X509_verify_cert") }
        return .refused(
            Refusal(
                isOutsideValidity: code == X509_V_ERR_CERT_HAS_EXPIRED || code == X509_V_ERR_CERT_NOT_YET_VALID,
                text: String(cString: X509_verify_cert_error_string(Int(code)))))
    }

    private static func path(of context: OpaquePointer) throws(CryptoError) -> [Certificate] {
        guard let chain = X509_STORE_CTX_get0_chain(context) else { throw .current("X509_STORE_CTX_get0_chain") }
        var path: [Certificate] = []
        for index in 0..<tollgate_stack_count(chain) {
            guard let handle = tollgate_stack_item(chain, index) else { continue }
            X509_up_ref(handle)
            path.append(try Certificate(takingOwnershipOf: handle, der: Certificate.der(of: handle)))
        }
        return path
    }

    /// OpenSSL's list of certificates, which borrows them: free it before they go.
    private static func stack(of certificates: [Certificate]) throws(CryptoError) -> OpaquePointer {
        guard let stack = tollgate_stack_new() else { throw .current("sk_X509_new_null") }
        for certificate in certificates where tollgate_stack_push(stack, certificate.handle) == 0 {
            tollgate_stack_free(stack)
            throw .current("sk_X509_push")
        }
        return stack
    }
}
