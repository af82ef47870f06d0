internal import Messages
internal import StoreArtifacts
internal import Synchronization

/// How proofs of each app are judged, for work outside of transactions: by the record that was used last.
final class AppAttestTable: Sendable {
    /// Who has signed attestations before.
    let chains = ChainCache()
    private let apps = Mutex<[AppName: AppAttest]>([:])

    /// Nil: not used yet.
    func judge(for app: AppID, of organisation: OrganisationID) -> AppAttest? {
        apps.withLock { $0[AppName(app, of: organisation)] }
    }

    /// To be called when what was judged by it is stored: records of apps that are rolled back are never seen here.
    func put(_ judge: AppAttest, for app: AppID, of organisation: OrganisationID) {
        let name = AppName(app, of: organisation)
        apps.withLock { apps in
            if judge.version > apps[name]?.version ?? 0 { apps[name] = judge }
        }
    }
}
