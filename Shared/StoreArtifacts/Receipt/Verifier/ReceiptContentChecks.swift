public import FoundationEssentials

/// Whether the receipt is for this app, compared exactly.
public struct ReceiptBundleIDCheck: ReceiptCheck {
    private let bundleID: String

    /// - Parameter bundleID: The app.
    public init(_ bundleID: String) { self.bundleID = bundleID }

    /// `bundle_id`.
    public var step: VerificationStep { .bundleID }

    /// Compares.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        // Byte for byte: Swift would take two spellings of one letter for equal.
        guard receipt.receipt.bundleID.utf8.elementsEqual(bundleID.utf8) else {
            return refused(.wrongApp, "not for the app \(bundleID)")
        }
        return .passed
    }
}

/// Whether the receipt comes from where it may come from.
public struct ReceiptEnvironmentCheck: ReceiptCheck {
    private let environments: Set<AppleEnvironment>?
    private let isXcodeOnly: Bool

    /// - Parameters:
    ///   - environments: What is accepted; a receipt that does not tell is then refused. `nil` accepts any.
    ///   - roots: Below which it is signed: below Xcode's, only Xcode's environment is believed.
    public init(_ environments: Set<AppleEnvironment>?, roots: TrustRoots) {
        self.environments = environments
        self.isXcodeOnly = roots.rule == .selfSigned
    }

    /// `environment`.
    public var step: VerificationStep { .environment }

    /// Compares.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        let environment = receipt.receipt.environment
        // Whoever has Xcode can write any environment into a receipt.
        let isBelieved = !isXcodeOnly || environment == .xcode || environment == .localTesting
        let isAccepted = environments.map { accepted in environment.map(accepted.contains) ?? false } ?? true
        guard isBelieved, isAccepted else {
            return refused(
                .wrongEnvironment, "from the environment \(receipt.receipt.environmentText?.prefix(40) ?? "unknown")")
        }
        return .passed
    }
}

/// Whether the receipt is for this version of the app. After an update it still tells the old one for a while, so that this
/// locks honest customers out: only for who asks for it.
public struct ReceiptVersionCheck: ReceiptCheck {
    private let version: String

    /// - Parameter version: The build number on iOS, the version on macOS.
    public init(_ version: String) { self.version = version }

    /// `version`.
    public var step: VerificationStep { .version }

    /// Compares.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        guard receipt.receipt.appVersion.utf8.elementsEqual(version.utf8) else {
            return refused(.wrongApp, "for the version \(receipt.receipt.appVersion.prefix(40)), not \(version)")
        }
        return .passed
    }
}

/// Whether the receipt was made on this device, see ``Receipt/isOf(_:)``.
public struct ReceiptDeviceCheck: ReceiptCheck {
    private let device: DeviceIdentifier

    /// - Parameter device: The device.
    public init(_ device: DeviceIdentifier) { self.device = device }

    /// `device_hash`.
    public var step: VerificationStep { .deviceHash }

    /// Compares.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        guard receipt.receipt.isOf(device) else {
            return refused(
                .deviceHashMismatch, "made on another device, or this one was restored or its apps were installed anew")
        }
        return .passed
    }
}

/// Whether the receipt was made before now. If not, one of the clocks is wrong: that passes.
public struct ReceiptCreationDateCheck: ReceiptCheck {
    private let tolerance: TimeInterval

    /// - Parameter tolerance: How far the clocks of the store and ours may differ.
    public init(tolerance: TimeInterval = Receipt.clockTolerance) { self.tolerance = tolerance }

    /// `creation_date`.
    public var step: VerificationStep { .creationDate }

    /// Compares.
    public func verify(
        _ receipt: SignedReceipt, under circumstances: ReceiptCircumstances
    ) throws -> Verification<Void> {
        guard receipt.receipt.creationDate <= circumstances.now + tolerance else {
            return Verification(verdict: .retryable(.signedInFuture))
        }
        return .passed
    }
}

extension ReceiptCheck {
    fileprivate func refused(_ reason: RefusalReason, _ message: String) -> Verification<Void> {
        Verification(verdict: .refused(step: step, reason: reason, message: message))
    }
}

extension Verification<Void> {
    fileprivate static var passed: Verification<Void> { Verification(verdict: .verified(())) }
}
