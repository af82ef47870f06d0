public import Messages

extension MessageFault {
    /// The registry's news of the app have not come yet, or it does not exist: the ladder waits for them.
    public static func unknownApp(_ app: AppID, of organisation: OrganisationID) -> MessageFault {
        .forNow("app_unknown", "the app \(app) of \(organisation) is not known here")
    }
}
