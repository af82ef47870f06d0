internal import Crypto

/// The secrets that all edges of an installation share: with them each knows what another one has issued.
///
/// One or two: the first seals, either is good, so that a new one can take the place of an old one before what that has
/// sealed runs out. Each purpose has a key of its own, derived from the secret (HMAC-SHA-256 of the purpose's name).
package struct TokenKeys: Sendable {
    /// What something is sealed as: a challenge can never pass for a token.
    package enum Purpose: String, Sendable, CaseIterable {
        case deviceToken = "tollgate device token"
        case challenge = "tollgate challenge"
        /// Tells keys apart without telling them.
        case fingerprint = "tollgate fingerprint"
    }

    /// Of each secret.
    package static let secretBytes = 32
    /// Of each seal.
    package static let sealBytes = 32
    private static let mostSecrets = 2

    /// For each secret, the newest first, the keys by purpose.
    private let keys: [[Purpose: [UInt8]]]

    /// - Parameter secrets: 1 or 2 of 32 bytes, the one that seals first; nil for anything else.
    package init?(_ secrets: [[UInt8]]) {
        guard (1...Self.mostSecrets).contains(secrets.count), secrets.allSatisfy({ $0.count == Self.secretBytes })
        else { return nil }
        keys = secrets.map { secret in
            Dictionary(
                uniqueKeysWithValues: Purpose.allCases.map {
                    ($0, HMACSHA256.code(for: Array($0.rawValue.utf8), key: secret))
                })
        }
    }

    /// Of each key, the one that seals first: 8 hexadecimal digits that a log may show. Edges that belong together have the
    /// same ones.
    package var fingerprints: [String] { keys.map { $0[.fingerprint]?.prefix(4).hexadecimal ?? "" } }

    /// The code that nobody without the secrets can make for `content`.
    func seal(_ content: some Collection<UInt8>, as purpose: Purpose) -> [UInt8] {
        HMACSHA256.code(for: content, key: keys.first?[purpose] ?? [])
    }

    /// The content of `sealed`, which ends with its seal; nil if none of the secrets has sealed it as `purpose`.
    ///
    /// Takes the same time for every wrong seal. Nothing of it may be looked at before.
    func content(of sealed: [UInt8], as purpose: Purpose) -> ArraySlice<UInt8>? {
        guard sealed.count > Self.sealBytes else { return nil }
        let content = sealed.dropLast(Self.sealBytes)
        let seal = Array(sealed.suffix(Self.sealBytes))
        let isGood = keys.reduce(false) { isGood, keys in
            HMACSHA256.isValid(seal, for: content, key: keys[purpose] ?? []) || isGood
        }
        return isGood ? content : nil
    }
}

extension TokenKeys {
    /// What is expected of a file of them.
    package static let fileExpectation =
        "a file with a line for each of 1 or 2 keys: 32 random bytes in base64, the key that seals first"

    /// Reads the text of their file: a key a line in base64 (`openssl rand -base64 32`), empty lines and lines that begin
    /// with `#` are passed over; nil for anything else.
    package init?(file text: String) {
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        guard lines.count <= Self.mostSecrets else { return nil }
        let secrets = lines.map { Base64.standard.decode($0.utf8) ?? [] }
        self.init(secrets)
    }

    /// The text of a file with one secret.
    package static func file(of secret: [UInt8]) -> String {
        """
        # attest-gateway: seals device tokens and challenges. Secret; all edges of an installation need the same file.
        \(Base64.standard.encode(secret))

        """
    }
}
