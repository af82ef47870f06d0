internal import JSON
internal import Messages
internal import StoreArtifacts

extension Judged {
    /// The report, for whoever asked: costs as much as writing out all that the artifact says.
    ///
    /// - Parameter verdict: the one that is held, if there is one. Where it was reached under other roots, keys or rules it
    ///   stands until an operator has the artifact judged anew; then what was checked cannot be told.
    func report(saying verdict: ArtifactVerdict?) throws -> JSONValue {
        var report = examination.report
        switch verdict ?? judgement.verdict {
        case nil: break
        case .verified where report.verdict == .verified: break
        case .verified:
            report.verdict = .verified
            (report.step, report.reason, report.message, report.checks) = (nil, nil, nil, [])
        case .refused(let grounds)
        where report.step?.rawValue == grounds.step && report.reason?.rawValue == grounds.reason:
            break
        case .refused(let grounds):
            report.verdict = .refused
            report.step = VerificationStep(rawValue: grounds.step)
            report.reason = RefusalReason(rawValue: grounds.reason)
            report.message = grounds.text
            report.trust = nil
            // What was verified and is still not enough for us has passed these.
            if judgement.verdict?.isSame(as: .refused(grounds)) != true { report.checks = [] }
        }
        // What it says are values already, and may be many.
        let fields = report.fields
        report.fields = [:]
        let body = try MessageJSON.decode([String: JSONValue].self, from: try MessageJSON.encode(report))
        return .object(body.merging(["fields": .object(fields)]) { $1 })
    }
}

extension Judged.Judgement {
    /// Nil: none for now.
    var verdict: ArtifactVerdict? { if case .final(let verdict) = self { verdict } else { nil } }

    /// Why the answer is no, or not yet; empty if it is yes.
    var reason: String {
        switch self {
        case .final(.verified): ""
        case .final(.refused(let grounds)): grounds.reason
        case .notYet(let reason): reason.rawValue
        }
    }
}
