/// One event of a user, as it is sent to the service that keeps it.
///
/// It is read whatever its members are, so that one bad event does not take the others of its batch along: what could not
/// be read is told by ``unreadable``.
public struct SignpostEvent: Sendable, Hashable {
    /// What happened.
    public var name: EventName
    /// The caller's own id for it: the app has one such event of this user, however often it comes. Absent: by its time.
    public var id: String?
    /// When it happened, by the caller's clock; clamped to the 7 days before the message was accepted. Absent: then.
    public var at: Timestamp?
    /// The time as the caller wrote it: with it, without an ``id``, the event is the same as another of the same name,
    /// time and properties. Absent: ``at`` as written here; with neither, each event is its own.
    public var sentAt: String?
    /// What the app says about it: flat.
    public var properties: [String: AttributeValue]?
    /// What of it has not the type that it should have; not sent.
    public private(set) var unreadable: EventFault?

    /// An event of these.
    public init(
        name: EventName, id: String? = nil, at: Timestamp? = nil, sentAt: String? = nil,
        properties: [String: AttributeValue]? = nil
    ) {
        self.name = name
        self.id = id
        self.at = at
        self.sentAt = sentAt
        self.properties = properties
    }
}

extension SignpostEvent: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, id, at, sentAt, properties
    }

    /// Reads what can be read.
    public init(from decoder: any Decoder) throws {
        self.init(name: EventName(rawValue: ""))
        guard let members = try? decoder.container(keyedBy: CodingKeys.self) else {
            unreadable = .nameInvalid
            return
        }
        do { name = try members.decode(EventName.self, forKey: .name) } catch { unreadable = .nameInvalid }
        do { id = try members.decodeIfPresent(String.self, forKey: .id) } catch { unreadable = .idInvalid }
        do {
            at = try members.decodeIfPresent(Timestamp.self, forKey: .at)
            sentAt = try members.decodeIfPresent(String.self, forKey: .sentAt)
        } catch { unreadable = .timeInvalid }
        do {
            properties = try members.decodeIfPresent([String: AttributeValue].self, forKey: .properties)
        } catch { unreadable = .propertiesNotFlat }
    }
}
