package import Messages

/// Who sends a request, as far as the device token that it carries tells.
package enum Caller: Sendable, Hashable {
    /// A genuine copy of the app on a genuine device (App Attest).
    case attested(AttestedDevice)
    /// A copy that a developer runs from Xcode. The token names the app and can be revoked; in everything else, trust and
    /// limits, its bearer is as one without: what a workbench says must never look like a customer's word.
    case development(AttestedDevice)
    /// Without a token.
    case unattested

    /// What is known of the facts that he tells.
    package var trust: Trust {
        switch self {
        case .attested: .attested
        case .development, .unattested: .unverified
        }
    }

    /// Whose token it is.
    package var device: AttestedDevice? {
        switch self {
        case .attested(let device), .development(let device): device
        case .unattested: nil
        }
    }
}

/// A key that App Attest has vouched for, within the app that it was attested for.
package struct AttestedDevice: Sendable, Hashable {
    package let organisation: OrganisationID
    package let app: AppID
    /// In its one form: 32 bytes in Base64 with padding.
    package let keyID: DeviceKeyID

    package init(organisation: OrganisationID, app: AppID, keyID: DeviceKeyID) {
        self.organisation = organisation
        self.app = app
        self.keyID = keyID
    }

    /// The device whose standing this is.
    init(_ standing: DeviceStanding) {
        self.init(organisation: standing.organisation, app: standing.app, keyID: standing.keyID)
    }
}
