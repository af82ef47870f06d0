internal import Messages
internal import ServiceKit

/// A time, as operators write it.
enum PointInTime {
    static let expectation =
        "a time such as 2026-07-01T12:00:00Z, milliseconds since 1970, or how long ago, such as 90m"

    /// RFC 3339, milliseconds since 1970, or how long ago.
    @Sendable static func parse(_ text: String) -> Timestamp? {
        if let ago = Duration(settingText: text) { return .now - ago }
        return Timestamp(written: text)
    }
}
