package import Messages
internal import Synchronization

/// The apps as they were committed last, for work outside of transactions: a copy of the store's, never ahead of it.
package final class AppDirectory: Sendable {
    private struct Name: Hashable {
        var organisation: OrganisationID
        var app: AppID
    }

    private let examiners = Mutex<[Name: AppExaminer]>([:])

    /// - Parameter records: what the store has at the start.
    package init(_ records: [AppRecord] = []) {
        for record in records { put(record) }
    }

    /// Takes a record unless a newer one is there. One whose roots cannot be read is left out: its artifacts are judged
    /// where the fault can be told.
    package func put(_ record: AppRecord) {
        guard let examiner = try? AppExaminer(record) else { return }
        let name = Name(organisation: record.organisation, app: record.app)
        examiners.withLock { examiners in
            if record.version > examiners[name]?.record.version ?? 0 { examiners[name] = examiner }
        }
    }

    /// How artifacts for the app are examined; nil: not known here.
    package func examiner(for app: AppID, of organisation: OrganisationID) -> AppExaminer? {
        examiners.withLock { $0[Name(organisation: organisation, app: app)] }
    }
}
