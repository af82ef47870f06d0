internal import Messages

extension LoadKind {
    /// A phone says who its user is: half of them for the first time.
    static let identify = LoadKind(name: "identify", share: 40, doors: [.http, .queues]) { world, door in
        let isNew = world.dice.hits(0.5)
        let person = isNew ? world.newPerson() : world.someone() ?? world.newPerson()
        let user = world.user(person)
        let plan = world.dice.hits(0.5) ? "free" : "pro"
        return switch door {
        case .http:
            try .post(
                "/api/sdk/v1/identify",
                IdentifyBody(appUserId: user.rawValue, bundleId: world.place.app.rawValue, attributes: ["plan": plan]),
                .introduce(person: person))
        case .queues:
            try .command(
                UserIdentify(
                    organisation: world.place.organisation, app: world.place.app, user: user, platform: "ios",
                    attributes: ["plan": .text(plan)], trust: .unverified), .introduce(person: person))
        }
    }
}

private struct IdentifyBody: Encodable {
    let appUserId: String
    let bundleId: String
    var platform = "ios"
    let attributes: [String: String]
}
