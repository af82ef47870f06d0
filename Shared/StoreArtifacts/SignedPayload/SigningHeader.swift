internal import Crypto
internal import JSON

/// What the header of a signed text has to say: how it was signed, and the certificates of who did.
struct SigningHeader {
    /// The signer's certificate: the first (RFC 7515 § 4.1.6).
    let leaf: Certificate
    /// The one above it, if there has to be one. The third is not looked at but to be a certificate: the root is one
    /// that we hold ourselves.
    let others: [Certificate]

    /// Takes ES256 and nothing else. What is not known does no harm, unless the header says that it has to be
    /// understood (`crit`, RFC 7515 § 4.1.11).
    init(_ object: JSONObject, rule: TrustRoots.Rule) throws(Shortfall) {
        do {
            guard try object.string("alg") == "ES256" else {
                throw Shortfall(.structure, .unsupportedAlgorithm, "alg is not ES256")
            }
            guard object.range(of: "crit") == nil else { throw Shortfall.malformed("the header has crit") }
            guard let texts = try object.strings("x5c"), !texts.isEmpty else {
                throw Shortfall(.structure, .missingCertificates, "the header has no x5c")
            }
            let count = rule == .appleChain ? 3 : 1
            guard texts.count == count else {
                throw Shortfall(.structure, .chainLength, "x5c has \(texts.count) certificates, not \(count)")
            }
            let certificates = try texts.map(Self.certificate)
            leaf = certificates[0]
            others = Array(certificates[1..<max(1, count - 1)])
        } catch let shortfall as Shortfall {
            throw shortfall
        } catch {
            throw .malformed("header: \(error)")
        }
    }

    private static func certificate(from text: String) throws(Shortfall) -> Certificate {
        guard let der = Base64.standard.decode(text.utf8), let certificate = try? Certificate(der: der) else {
            throw Shortfall(.structure, .badCertificate, "x5c holds something that is no certificate")
        }
        return certificate
    }
}
