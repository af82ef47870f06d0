package import Messages
internal import Synchronization

/// The apps as they were committed last, for work outside of transactions: a copy of the store's, never ahead of it.
package final class AppDirectory: Sendable {
    private struct Name: Hashable {
        var organisation: OrganisationID
        var app: AppID
    }

    private let verifiers = Mutex<[Name: AppVerifier]>([:])

    /// - Parameter records: what the store has at the start.
    package init(_ records: [AppRecord] = []) {
        for record in records { put(record) }
    }

    /// Takes a record unless a newer one is there. One whose roots cannot be read is left out: its artifacts are judged
    /// where the fault can be told.
    package func put(_ record: AppRecord) {
        guard let verifier = try? AppVerifier(record) else { return }
        let name = Name(organisation: record.organisation, app: record.app)
        verifiers.withLock { verifiers in
            if record.version > verifiers[name]?.record.version ?? 0 { verifiers[name] = verifier }
        }
    }

    /// How artifacts for the app are judged; nil: not known here.
    package func verifier(for app: AppID, of organisation: OrganisationID) -> AppVerifier? {
        verifiers.withLock { $0[Name(organisation: organisation, app: app)] }
    }
}
