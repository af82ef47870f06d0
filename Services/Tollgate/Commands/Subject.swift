internal import Messages

/// Options that name whose data a command is about.
enum Subject {
    static let organisation = Option<OrganisationID>(
        "--organisation", "ORG", "The organisation", expectation: OrganisationID.expectation,
        variable: "TOLLGATE_ORGANISATION", isRequired: true, parse: name)
    static let app = Option<AppID>(
        "--app", "BUNDLE_ID", "The app, by its bundle id", expectation: AppID.expectation, variable: "TOLLGATE_APP",
        isRequired: true, parse: name)

    /// Refused here already where the registry would not take it.
    @Sendable static func name<Name: RegistryName>(_ text: String) -> Name? {
        let name = Name(rawValue: text)
        return name.isGood ? name : nil
    }
}
