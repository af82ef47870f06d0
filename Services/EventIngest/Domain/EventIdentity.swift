internal import Crypto
package import Messages

/// What makes an event the same as another of the same user and app, so that a repeat is not another event.
package struct EventIdentity: Hashable, Sendable {
    /// The first half of a SHA-256.
    package let digest: [UInt8]

    /// The caller's own id decides; without one its name, its time as sent and its properties; with neither, the message
    /// and the event's place in it.
    ///
    /// - Parameter properties: as they are stored; equal ones have equal bytes.
    package init(of event: SignpostEvent, properties: [UInt8]?, message: MessageID, place: Int) {
        // Every part but the last is free of zero bytes, or of a length that the part before fixes.
        let parts: [UInt8]
        if let id = event.id {
            parts = Array("id\u{0}\(id)".utf8)
        } else if let time = event.sentAt ?? event.at?.rfc3339 {
            parts = Array("at\u{0}\(event.name)\u{0}\(time.utf8.count)\u{0}\(time)\u{0}".utf8) + (properties ?? [])
        } else {
            parts = Array("message\u{0}\(place)\u{0}\(message)".utf8)
        }
        digest = Array(Digest.sha256(parts).prefix(16))
    }
}
