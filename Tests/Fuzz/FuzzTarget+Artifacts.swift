import Crypto
import FoundationEssentials
import JSON
import StoreArtifacts
import StoreSimulator

extension FuzzTarget {
    /// Whatever comes in, recognised as what it is.
    static let any = artifact("any", as: nil) { try kinds.flatMap { try $0.samples() } }

    /// Each kind that can be verified.
    static let kinds = [
        artifact("receipt", as: .receipt) { [try Samples.receipt()] },
        artifact("transaction", as: .transaction) { [try Samples.transaction()] },
        artifact("renewal", as: .renewal) { [try Samples.renewal()] },
        artifact("app-transaction", as: .appTransaction) { [try Samples.appTransaction()] },
        artifact("notification", as: .notification) { [try Samples.notification()] },
        artifact("purchase", as: .purchase) { [try Samples.signedPurchase()] },
        artifact("attestation", as: .attestation) { [try Samples.attestation()] },
        artifact("assertion", as: .assertion) { [try Samples.assertion()] },
        artifact("attestation-receipt", as: .attestationReceipt) { [try Samples.attestationReceipt()] },
    ]

    private static func artifact(
        _ name: String, as kind: ArtifactKind?, samples: @escaping @Sendable () throws -> [[UInt8]]
    ) -> FuzzTarget {
        FuzzTarget(
            name: name,
            run: { bytes in
                do {
                    let examination = try examiner.examine(bytes, as: kind, expecting: expectations, at: Samples.date)
                    // Decoding is put off until somebody wants to see it.
                    let report = examination.report
                    _ = examination.signer
                    guard kind == nil || report.kind == kind || report.step == .kind else {
                        fatalError("verified as \(report.kind.rawValue)")
                    }
                    // The root is a new one in each process and has signed nothing; an assertion brings its own key.
                    guard report.verdict != .verified || report.kind == .assertion else {
                        fatalError("verified below a root that has signed nothing")
                    }
                    _ = try JSONCoding.encode(report)
                } catch {
                    fatalError("no input makes it fail: \(error)")
                }
            }, samples: samples)
    }

    private static let examiner: ArtifactExaminer = {
        do {
            return ArtifactExaminer(trust: try ArtifactTrust(roots: [try TestAuthority.make().root]))
        } catch {
            fatalError("cannot make a root: \(error)")
        }
    }()

    private static let expectations: Expectations = {
        var expectations = Expectations()
        expectations.bundleID = Samples.bundleID
        expectations.device = DeviceIdentifier(bytes: [UInt8](repeating: 0xD0, count: 16))
        return expectations
    }()
}
