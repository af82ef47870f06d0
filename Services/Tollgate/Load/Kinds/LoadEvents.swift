internal import FoundationEssentials
internal import Messages

extension LoadKind {
    /// A phone sends what its user has done, twenty at a time, under four of the names that an app can have.
    static let events = LoadKind(name: "events", share: 10, doors: [.http]) { world, _ in
        let person = world.someone() ?? world.newPerson()
        let user = world.user(person).rawValue
        let at = Int64(Date.now.timeIntervalSince1970 * 1000)
        let events = (0..<20).map { index in
            EventsBody.Event(
                name: "load_\(index % 4)", appUserId: user, at: at - Int64(index), id: UUID().uuidString.lowercased(),
                properties: ["screen": "settings"])
        }
        return try .post(
            "/api/sdk/v1/events", EventsBody(bundleId: world.place.app.rawValue, events: events), .tell)
    }
}

private struct EventsBody: Encodable {
    struct Event: Encodable {
        let name: String
        let appUserId: String
        let at: Int64
        let id: String
        let properties: [String: String]
    }
    let bundleId: String
    let events: [Event]
}
