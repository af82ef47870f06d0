internal import HTTP
internal import JSON
package import Messages

/// The body of `POST /api/sdk/v1/events`, checked. Members that it does not know are passed over; what is wrong with one
/// event drops that event alone.
package struct EventsBody: Sendable, Equatable {
    /// One event of it.
    package enum Reading: Sendable, Equatable {
        case event(app: AppID, user: AppUserID, SignpostEvent)
        /// It is dropped; its name where that is the reason, and one can be read.
        case fault(EventFault, name: String?)
    }

    /// For events that name no other.
    package let app: AppID?
    /// Stands for the device in the limits.
    package let install: String?
    /// In the order in which they came.
    package let events: [Reading]

    /// - Throws: `JSONError` or `HTTPError`, a 400 that names the field.
    package init(_ bytes: [UInt8]) throws {
        // A NUL is one event's fault, unless it is in an id.
        let body = try JSONObject(bytes, limits: .sdkBody, allowsNUL: true)
        let app = try FieldRules.optionalIdentifier("bundleId", in: body).map(AppID.init(rawValue:))
        install = try FieldRules.optionalIdentifier("installId", in: body)
        guard let elements = try body.elements("events") else { throw JSONError(.missingMember, path: "events") }
        guard !elements.isEmpty else { throw HTTPError.empty("events") }
        guard elements.count <= EventRules.mostEvents else {
            throw HTTPError.tooMany("events", most: EventRules.mostEvents)
        }
        let events = try elements.enumerated().map { try Self.read($1, at: $0, in: app) }
        guard app != nil || !events.allSatisfy({ $0 == .fault(.bundleMissing, name: nil) }) else {
            throw JSONError(.missingMember, path: "bundleId")
        }
        self.app = app
        self.events = events
    }

    /// - Throws: a 400 for a NUL in an id, which no body may have.
    private static func read(_ text: ArraySlice<UInt8>, at index: Int, in app: AppID?) throws -> Reading {
        // The text has been checked as part of the body.
        guard let object = try? JSONObject(Array(text), limits: .sdkBody, allowsNUL: true) else {
            return .fault(app == nil ? .bundleMissing : .malformed, name: nil)
        }
        for id in ["bundleId", "appUserId", "id"] {
            guard let text = (try? object.string(id)) ?? nil else { continue }
            try FieldRules.checkNUL(text, "events[\(index)].\(id)")
        }
        let name = (try? object.string("name")) ?? nil
        do throws(EventFault) {
            // Whoever names no app at all has said nothing that could be looked at.
            let app = try Self.app(in: object) ?? app
            guard let app else { throw .bundleMissing }
            var event = SignpostEvent(name: EventName(rawValue: name ?? ""))
            // The name first: whatever else is wrong, it is told by name.
            guard event.name.isWellFormed else { throw .nameInvalid }
            guard !event.name.isReserved else { throw .nameReserved }
            let user = try user(in: object)
            event.id = try id(in: object)
            (event.at, event.sentAt) = try time(in: object)
            event.properties = try properties(in: object)
            if let fault = EventRules.fault(of: event) { throw fault }
            return .event(app: app, user: user, event)
        } catch {
            return .fault(error, name: error.isAboutName ? name : nil)
        }
    }

    private static func app(in event: JSONObject) throws(EventFault) -> AppID? {
        do {
            return try FieldRules.optionalIdentifier("bundleId", in: event).map(AppID.init(rawValue:))
        } catch {
            throw .bundleInvalid
        }
    }

    private static func user(in event: JSONObject) throws(EventFault) -> AppUserID {
        do {
            guard let user = try FieldRules.optionalIdentifier("appUserId", in: event) else {
                throw EventFault.userMissing
            }
            return AppUserID(rawValue: user)
        } catch {
            throw error as? EventFault ?? .userInvalid
        }
    }

    private static func id(in event: JSONObject) throws(EventFault) -> String? {
        do { return try event.string("id") } catch { throw .idInvalid }
    }

    /// What is meant, and as it was sent.
    private static func time(in event: JSONObject) throws(EventFault) -> (Timestamp?, String?) {
        do {
            guard let number = try event.number(asWritten: "at") else { return (nil, nil) }
            guard let time = SentTime.read(number: number) else { throw EventFault.timeInvalid }
            return (time, number)
        } catch is EventFault {
            throw .timeInvalid
        } catch {
            guard let text = try? event.string("at"), let time = SentTime.read(text) else { throw .timeInvalid }
            return (time, text)
        }
    }

    private static func properties(in event: JSONObject) throws(EventFault) -> [String: AttributeValue]? {
        do {
            return try FlatAttributes.read("properties", in: event, within: EventRules.mostPropertyBytes)
        } catch let error as HTTPError
            where error.field == "properties" && error.code == HTTPError.tooLong("", most: 0).code
        {
            throw .propertiesTooLong
        } catch let error as JSONError where error.problem == .nul {
            throw .propertiesNUL
        } catch {
            throw .propertiesNotFlat
        }
    }
}

// What only an edge can find.
extension EventFault {
    /// It is no object.
    static let malformed = EventFault(rawValue: "event_malformed")
    /// Neither it nor its batch names an app.
    static let bundleMissing = EventFault(rawValue: "bundle_id_missing")
    /// Its bundle id is no text of 1 to 256 bytes.
    static let bundleInvalid = EventFault(rawValue: "bundle_id_invalid")
    /// No organisation has connected its bundle id, or more than one has.
    static let bundleUnresolved = EventFault(rawValue: "bundle_unresolved")

    /// All that an edge can find.
    static let atEdge = all + [malformed, bundleMissing, bundleInvalid, bundleUnresolved]

    /// Whether an event is dropped for its name: then the name is told.
    var isAboutName: Bool { [.nameInvalid, .nameReserved, .nameOverBudget, .nameUnclaimable].contains(self) }
}
