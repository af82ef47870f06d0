internal import Messages

extension LoadKind {
    /// A phone asks what to show on a paywall.
    static let paywall = LoadKind(name: "paywall", share: 20, doors: [.http]) { world, _ in
        let person = world.someone() ?? world.newPerson()
        return try .post(
            "/api/sdk/v1/paywall",
            PaywallBody(
                bundleId: world.place.app.rawValue, installId: "install-\(world.user(person))", entitlement: "pro",
                appUserId: world.user(person).rawValue), .tell)
    }

    /// A phone says what it has shown. Without an experiment it is counted, and not recorded.
    static let impression = LoadKind(name: "impression", share: 10, doors: [.http]) { world, _ in
        let person = world.someone() ?? world.newPerson()
        return try .post(
            "/api/sdk/v1/paywall/impression",
            ImpressionBody(
                bundleId: world.place.app.rawValue, installId: "install-\(world.user(person))",
                experimentId: "load", variantKey: "control", renderedSkus: [world.place.product]), .tell)
    }
}

private struct PaywallBody: Encodable {
    let bundleId: String
    let installId: String
    let entitlement: String
    let appUserId: String
}

private struct ImpressionBody: Encodable {
    let bundleId: String
    let installId: String
    let experimentId: String
    let variantKey: String
    let renderedSkus: [String]
}
