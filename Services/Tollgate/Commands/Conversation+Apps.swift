internal import Messages

extension Conversation {
    /// Every app that is connected; devices, of which there may be many, are not asked for.
    func apps() async throws(ToolFailure) -> [AppRecord] { try await ask(RegistrySnapshot(omitsDevices: true)).apps }

    /// An app that is connected.
    func app(_ app: AppID, of organisation: OrganisationID) async throws(ToolFailure) -> AppRecord {
        guard let record = try await apps().first(where: { $0.app == app && $0.organisation == organisation }) else {
            throw ToolFailure(
                .failed, "\(organisation) has no app \(app)", advice: "tollgate apps add connects one")
        }
        return record
    }
}
