internal import Messages

/// Options that name whose data a command is about.
enum Subject {
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "The organisation", expectation: "a name without a slash, up to 100 bytes",
        variable: "TOLLGATE_ORGANISATION", isRequired: true
    ) { name in
        // It begins keys such as `<organisation>/<user>`.
        (1...100).contains(name.utf8.count) && !name.contains("/") ? OrganisationID(rawValue: name) : nil
    }
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "The app", expectation: "a bundle id, up to 155 bytes", variable: "TOLLGATE_APP",
        isRequired: true
    ) { (1...155).contains($0.utf8.count) && !$0.contains("/") ? AppID(rawValue: $0) : nil }
}
