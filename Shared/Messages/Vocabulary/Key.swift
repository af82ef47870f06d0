/// The keys that more than one kind uses.
public enum Key {
    /// `<organisation>/<originalTransactionID>`
    public static func transaction(_ organisation: OrganisationID, _ id: OriginalTransactionID) -> String {
        "\(organisation)/\(id)"
    }

    /// `<organisation>/<appUserID>`
    public static func user(_ organisation: OrganisationID, _ user: AppUserID) -> String { "\(organisation)/\(user)" }

    /// `<organisation>/<bundle id>`
    public static func app(_ organisation: OrganisationID, _ app: AppID) -> String { "\(organisation)/\(app)" }

    /// `<organisation>/<bundle id>/<installID>`
    public static func install(_ organisation: OrganisationID, _ app: AppID, _ install: InstallID) -> String {
        "\(organisation)/\(app)/\(install)"
    }
}
