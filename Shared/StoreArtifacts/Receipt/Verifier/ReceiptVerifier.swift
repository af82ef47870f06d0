public import FoundationEssentials

/// Tells whether bytes are a receipt that Apple signed for one app.
///
/// A value without state and without a clock: the same bytes at the same time under the same roots have the same verdict,
/// with a cache or without, in either form of the call. Safe to use from many tasks at once.
public struct ReceiptVerifier: Sendable {
    /// What is looked at once the receipt could be read. Their order decides which failure is reported.
    public let checks: [any ReceiptCheck]
    private let limit: Int

    /// Checks of one's own choice.
    ///
    /// - Parameters:
    ///   - checks: In the order in which their failures count.
    ///   - limit: The longest receipt that is looked at, in bytes.
    public init(checks: [any ReceiptCheck], limit: Int = SignedReceipt.limit) {
        self.checks = checks
        self.limit = limit
    }

    /// All that a server looks at: chain, signature, bundle id, environment, and if they are given version and device.
    ///
    /// - Parameters:
    ///   - bundleID: The app, compared exactly; `nil` accepts any and leaves it to the caller to look.
    ///   - environments: What is accepted; a receipt that does not tell its environment is then refused. `nil` accepts any
    ///     and leaves it to the caller to look.
    ///   - version: Compared if given, see ``ReceiptVersionCheck``.
    ///   - device: Compared if given, see ``ReceiptDeviceCheck``.
    ///   - roots: Who may have signed: ``TrustRoots/appleReceipts()``, or where that is allowed
    ///     ``TrustRoots/storeKitTesting(_:)``.
    ///   - demandsIntermediateMarker: `false` only counts below roots that are a test.
    public init(
        bundleID: String? = nil, environments: Set<AppleEnvironment>? = nil, version: String? = nil,
        device: DeviceIdentifier? = nil, roots: TrustRoots, demandsIntermediateMarker: Bool = true,
        limit: Int = SignedReceipt.limit
    ) {
        var checks: [any ReceiptCheck] = [
            ReceiptChainCheck(roots: roots, demandsIntermediateMarker: demandsIntermediateMarker),
            ReceiptSignatureCheck(),
        ]
        if let bundleID { checks.append(ReceiptBundleIDCheck(bundleID)) }
        checks.append(ReceiptEnvironmentCheck(environments, roots: roots))
        if let version { checks.append(ReceiptVersionCheck(version)) }
        if let device { checks.append(ReceiptDeviceCheck(device)) }
        checks.append(ReceiptCreationDateCheck())
        self.init(checks: checks, limit: limit)
    }

    /// What is looked at, in this order.
    public var steps: [VerificationStep] { [.structure] + checks.map(\.step) }

    /// Verifies a receipt, one check after the other.
    ///
    /// - Parameters:
    ///   - bytes: The receipt in DER or BER, as it is in the Base64 that apps send.
    ///   - now: Against which a creation date is in the future. Nothing else depends on it.
    ///   - certificateDate: When the certificates have to be valid, unless that is the creation date.
    ///   - cache: Is read, never written, see ``Verification/chains``.
    /// - Throws: `CryptoError` when a check could not be made. No bytes bring that about.
    public func verify(
        _ bytes: [UInt8], at now: Date, certificateDate: Date? = nil, cache: ChainCache? = nil
    ) throws -> Verification<SignedReceipt> {
        try .catching {
            let receipt = try SignedReceipt(bytes, limit: limit)
            var circumstances = ReceiptCircumstances(now: now, certificateDate: certificateDate, cache: cache)
            var conclusion = Conclusion()
            for check in checks {
                guard conclusion.takes(try check.verify(receipt, under: circumstances), of: check.step) else { break }
                circumstances.found = conclusion.chains
            }
            return conclusion.verification(of: receipt)
        }
    }

    /// Verifies a receipt, with all checks side by side: sooner than ``verify(_:at:certificateDate:cache:)`` where there is
    /// more than one core, and with the same result.
    public func verifyConcurrently(
        _ bytes: [UInt8], at now: Date, certificateDate: Date? = nil, cache: ChainCache? = nil
    ) async throws -> Verification<SignedReceipt> {
        let receipt: SignedReceipt
        do {
            receipt = try SignedReceipt(bytes, limit: limit)
        } catch let shortfall as Shortfall {
            return Verification(refusedFor: shortfall)
        }
        let circumstances = ReceiptCircumstances(now: now, certificateDate: certificateDate, cache: cache)
        let results = await withTaskGroup(of: (Int, Result<Verification<Void>, any Error>).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, Result { try check.verify(receipt, under: circumstances) }) }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        var conclusion = Conclusion()
        for (index, check) in checks.enumerated() {
            guard let result = results[index] else { continue }
            guard conclusion.takes(try result.get(), of: check.step) else { break }
        }
        return conclusion.verification(of: receipt)
    }
}

/// What the checks said, in their order.
private struct Conclusion {
    private var failure: Verdict<Void>?
    private(set) var chains: [VerifiedChain] = []
    private var isSigned = false

    /// Whether to go on: what comes behind the first failure does not count.
    mutating func takes(_ verification: Verification<Void>, of step: VerificationStep) -> Bool {
        chains += verification.chains
        guard case .verified = verification.verdict else {
            failure = verification.verdict
            return false
        }
        if step == .signature { isSigned = true }
        return true
    }

    func verification(of receipt: SignedReceipt) -> Verification<SignedReceipt> {
        let verdict = (failure ?? .verified(())).map { _ in receipt }
        // Without a signature, the certificates are whatever somebody has sent: nobody shall fill a cache that way.
        return Verification(verdict: verdict, chains: isSigned ? chains : [])
    }
}
