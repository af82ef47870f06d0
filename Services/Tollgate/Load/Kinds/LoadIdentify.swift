package import Messages

extension LoadKind {
    /// A phone says who its user is: half of them for the first time. What it says has a name of its own each time, so that
    /// it can be asked for at the end.
    static let identify = LoadKind(name: "identify", share: 40, doors: [.http, .queues]) { world, door in
        let (person, saying) = world.introduction()
        let user = world.user(person)
        let attributes = ["plan": world.dice.hits(0.5) ? "free" : "pro", name(of: saying): "yes"]
        let purpose = LoadMessage.Purpose.introduce(person: person, saying: saying)
        return switch door {
        case .http:
            try .post(
                "/api/sdk/v1/identify",
                IdentifyBody(appUserId: user.rawValue, bundleId: world.place.app.rawValue, attributes: attributes),
                purpose)
        case .queues:
            try .command(
                UserIdentify(
                    organisation: world.place.organisation, app: world.place.app, user: user, platform: "ios",
                    attributes: attributes.mapValues(AttributeValue.text), trust: .unverified), purpose)
        }
    }

    private static func name(of saying: Int) -> String { "said_\(saying)" }

    /// Which of the things that a person has said are among what is known of him, a bit each.
    package static func sayings(in attributes: [String: AttributeValue]) -> UInt32 {
        (0..<LoadWorld.mostSayings).reduce(0) { $0 | (attributes[name(of: $1)] == nil ? 0 : 1 << UInt32($1)) }
    }
}

private struct IdentifyBody: Encodable {
    let appUserId: String
    let bundleId: String
    var platform = "ios"
    let attributes: [String: String]
}
