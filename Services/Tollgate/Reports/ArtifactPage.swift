internal import Crypto
internal import FoundationEssentials
internal import JSON
internal import StoreArtifacts

/// A report for people: who signed, when, what was looked at, what went wrong and what to do, what it says. Fit for 80
/// columns, and harmless whatever strangers have written into the artifact.
struct ArtifactPage {
    private let report: ArtifactReport
    private let artifact: RecognisedArtifact
    private let signer: Certificate?

    /// - Parameter signer: Whose certificate came with it.
    init(_ report: ArtifactReport, of artifact: RecognisedArtifact, signer: Certificate?) {
        self.report = report
        self.artifact = artifact
        self.signer = signer
    }

    /// The page, without a line feed at its end.
    var text: String {
        [headline, provenance, checks, fields].filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
            .joined(separator: "\n\n")
    }

    /// The answer, and for a no what to do about it.
    private var headline: [String] {
        switch report.verdict {
        case .verified: return ["\(report.kind.rawValue): verified"] + cautions.flatMap { PageText.wrapped($0) }
        case .refused, .retryable:
            let verdict = report.verdict == .refused ? "REFUSED" : "NOT YET"
            let step = report.step.map { ", step \($0.rawValue)" } ?? ""
            return ["\(report.kind.rawValue): \(verdict) (\(report.reason?.rawValue ?? "no reason")\(step))"]
                + PageText.wrapped(report.message ?? "") + [""] + PageText.wrapped("What to do: \(Advice(report).text)")
        }
    }

    /// What a yes does not mean.
    private var cautions: [String] {
        var cautions: [String] = []
        switch report.trust {
        case .xcode:
            cautions.append(
                "Signed by Xcode on a developer's machine: its parts belong together, but everybody can make one. It is never a purchase."
            )
        case .ownKey:
            let key = report.kind == .assertion ? "the one that was attested" : "the store's"
            cautions.append(
                "The key that signed it came with it: its parts belong together, but everybody can make such a pair. Compare the key with \(key) by --public-key."
            )
        case .test: cautions.append("Signed below a root that was named by --root, not below one of Apple's.")
        default: break
        }
        if let state = report.fields["purchaseState"], state != .integer(0) {
            cautions.append("Genuine, but not paid, or no longer (purchaseState is not 0): it grants nothing.")
        }
        if report.fields["revocationDate"] != nil {
            cautions.append("Genuine, but taken back by Apple (revocationDate): it grants nothing.")
        }
        if let receipt = report.fields["receipt"], receipt["verdict"] == .string("refused") {
            cautions.append("The receipt in it is not what it should be (see receipt): not fit for a fraud assessment.")
        }
        return cautions
    }

    private var provenance: [String] {
        var rows = [("what it is", artifact.description)]
        if let signer {
            rows.append((report.verdict == .verified ? "signed by" : "says it is by", signer.subject.commonName))
            rows.append(("certified by", signer.issuer.commonName))
        }
        if let date = PageText.signedAt(report.fields) { rows.append(("signed at", date)) }
        if let environment = report.environment { rows.append(("environment", environment)) }
        return rows.map { PageText.row($0, $1, width: 15) }
    }

    private var checks: [String] {
        let end = report.checks.firstIndex { $0.result == .failed } ?? report.checks.count
        return ["Checks"]
            + report.checks.enumerated().map { index, check in
                switch check.result {
                case .passed: PageText.row("passed", check.name, width: 13)
                case .failed: PageText.row("FAILED", check.name, width: 13)
                case .notChecked:
                    PageText.row(
                        "not checked", "\(check.name): \(index > end ? "not reached" : Advice.missing(check.name))",
                        width: 13)
                }
            }
    }

    private var fields: [String] {
        guard !report.fields.isEmpty else { return [] }
        let title =
            report.verdict == .refused
            ? "What it says, none of which is to be believed" : "What it says"
        return [title] + PageText.lines(report.fields)
    }
}

extension String {
    /// The last `CN` of a name as RFC 4514 writes it; the whole name if it has none.
    fileprivate var commonName: String {
        let parts = split(separator: ",")
        return parts.last { $0.hasPrefix("CN=") }.map { String($0.dropFirst(3)) } ?? self
    }
}
