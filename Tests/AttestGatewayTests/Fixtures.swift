import AttestGateway
import Crypto
import Foundation
public import Messages
import ServiceKit

extension AppRecord {
    /// The app that most tests ask about.
    static let tunes = AppRecord(organisation: "acme", app: "com.example.tunes", version: 1, changedAt: .epoch)
}

extension Timestamp {
    /// 2026-01-30T08:15:00.250Z
    static let epoch = Timestamp(clamping: 1_769_760_900_250)
}

extension OrganisationID: ExpressibleByStringLiteral {
    /// From a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension AppID: ExpressibleByStringLiteral {
    /// From a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension AppUserID: ExpressibleByStringLiteral {
    /// From a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension KeyID: ExpressibleByStringLiteral {
    /// From a literal.
    public init(stringLiteral value: String) { self.init(rawValue: value) }
}

extension Logger {
    /// Says nothing.
    static let silent = Logger(service: "test") { _ in }
}

/// A body of these members, each given as JSON text, with some of them replaced; nil takes one out.
func body(_ members: [String: String], _ changes: [String: String?] = [:]) -> [UInt8] {
    let merged = members.mapValues(String?.some).merging(changes) { $1 }.compactMapValues { $0 }
    return Array("{\(merged.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}".utf8)
}

/// A JSON text of `count` letters.
func letters(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

/// SHA-256 of a key, as the operator's tool sends it.
func digest(of secret: String) -> String {
    Digest.sha256(secret.utf8).hexadecimal
}
