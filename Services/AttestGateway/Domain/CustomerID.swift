internal import Crypto
package import Messages

/// The stable id of a customer: UUIDv5 (RFC 9562 § 5.5) of his organisation and his id there.
///
/// Nothing has to be asked or stored for it, so an edge tells it while every other service is away. The name that is
/// hashed is `<organisation>/<appUserId>` in UTF-8; an organisation's name has no slash, so no two customers share it.
/// Python: `uuid.uuid5(uuid.UUID("6f2c1d84-93b7-4e5a-8c0d-51a7e2f4b960"), "acme/user_42")`.
package struct CustomerID: RawRepresentable, Hashable, Sendable {
    /// 36 characters, lower case.
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }

    /// 6f2c1d84-93b7-4e5a-8c0d-51a7e2f4b960: drawn once, fixed for ever.
    private static let namespace: [UInt8] = [
        0x6F, 0x2C, 0x1D, 0x84, 0x93, 0xB7, 0x4E, 0x5A, 0x8C, 0x0D, 0x51, 0xA7, 0xE2, 0xF4, 0xB9, 0x60,
    ]

    /// The id of `user` in `organisation`.
    package init(_ organisation: OrganisationID, _ user: AppUserID) {
        var bytes = Digest.sha1(Self.namespace + Array(Key.user(organisation, user).utf8))
        bytes[6] = bytes[6] & 0x0F | 0x50
        bytes[8] = bytes[8] & 0x3F | 0x80
        let groups = [bytes[0..<4], bytes[4..<6], bytes[6..<8], bytes[8..<10], bytes[10..<16]]
        rawValue = groups.map(\.hexadecimal).joined(separator: "-")
    }
}
