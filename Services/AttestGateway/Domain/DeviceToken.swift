internal import Crypto
package import Messages

/// What an enrolled device shows: `Authorization: Bearer dt_…`.
///
/// `dt_` and base64url without padding of: version 1, key id (32 bytes), generation (4), when it ends (milliseconds since
/// 1970, 8), environment (1: production, 2: development), length and text of the organisation, length and text of the
/// app, seal (32). Numbers are big-endian. Opaque to everybody but edges; stored nowhere.
package struct DeviceToken: Sendable, Hashable {
    /// How long one is good; then the device enrols again, or asks for another with an assertion.
    package static let lifetime = DeviceStanding.tokenLifetime
    private static let prefix = "dt_"
    private static let version: UInt8 = 1
    private static let keyIDBytes = 32
    /// With an organisation and an app as long as they can be.
    private static let mostBytes = 1 + keyIDBytes + 4 + Timestamp.byteCount + 1 + 2 * 256 + TokenKeys.sealBytes

    package let device: AttestedDevice
    /// Whether the app ran from Xcode when it was attested.
    package let isDevelopment: Bool
    /// Raised when the key is attested again; the device's least good one decides whether this token still is.
    package let generation: UInt32
    /// From then on it is good no more.
    package let expiresAt: Timestamp

    /// What came of looking at a text.
    package enum Reading: Sendable, Equatable {
        /// Whether it was revoked, its seal cannot tell.
        case good(DeviceToken)
        /// None of ours.
        case malformed
        case expired
    }

    package init(device: AttestedDevice, isDevelopment: Bool, generation: UInt32, expiresAt: Timestamp) {
        self.device = device
        self.isDevelopment = isDevelopment
        self.generation = generation
        self.expiresAt = expiresAt
    }

    /// Who shows it.
    package var caller: Caller { isDevelopment ? .development(device) : .attested(device) }

    /// As the device gets it.
    package func text(sealedWith keys: TokenKeys) -> String {
        var content = [Self.version] + Self.bytes(of: device.keyID)
        content += generation.bigEndianBytes + expiresAt.bigEndianBytes
        content.append(isDevelopment ? 2 : 1)
        for name in [device.organisation.rawValue, device.app.rawValue] {
            // The registry takes no longer names.
            let bytes = name.utf8.prefix(Int(UInt8.max))
            content.append(UInt8(bytes.count))
            content += bytes
        }
        return Self.prefix + Base64.url.encode(content + keys.seal(content, as: .deviceToken))
    }

    /// What `text` is.
    package static func read(_ text: some StringProtocol, at now: Timestamp, keys: TokenKeys) -> Reading {
        guard text.utf8.count <= prefix.utf8.count + (mostBytes + 2) / 3 * 4, text.hasPrefix(prefix),
            let sealed = Base64.url.decode(text.utf8.dropFirst(prefix.utf8.count)),
            let content = keys.content(of: sealed, as: .deviceToken), let token = DeviceToken(content: content)
        else { return .malformed }
        return now < token.expiresAt ? .good(token) : .expired
    }

    /// The registry names no key by anything else than 32 bytes; what were none would be one of zeros, which no key has.
    private static func bytes(of keyID: DeviceKeyID) -> [UInt8] {
        let bytes = Base64.standard.decode(keyID.rawValue.utf8) ?? []
        return bytes.count == keyIDBytes ? bytes : [UInt8](repeating: 0, count: keyIDBytes)
    }

    /// Reads what was between prefix and seal.
    private init?(content: ArraySlice<UInt8>) {
        var rest = content
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard rest.count >= count else { return nil }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
        func name() -> String? {
            guard let count = take(1)?.first, let bytes = take(Int(count)) else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
        guard take(1)?.first == Self.version, let keyID = take(Self.keyIDBytes), let generation = take(4),
            let expiresAt = take(Timestamp.byteCount).flatMap(Timestamp.init(bigEndian:)),
            let environment = take(1)?.first, [1, 2].contains(environment),
            let organisation = name(), let app = name(), rest.isEmpty
        else { return nil }
        device = AttestedDevice(
            organisation: OrganisationID(rawValue: organisation), app: AppID(rawValue: app),
            keyID: DeviceKeyID(rawValue: Base64.standard.encode(keyID)))
        isDevelopment = environment == 2
        self.generation = generation.reduce(0) { $0 << 8 | UInt32($1) }
        self.expiresAt = expiresAt
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian, Array.init) }
}
