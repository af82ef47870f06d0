internal import Crypto
internal import Messages

/// What the registry takes for a name, a digest, a root. A command with anything else is refused as `field_invalid`.
enum RegistryRules {
    /// A command that was looked at.
    enum Checked<Body: Message>: Sendable {
        case good(Body)
        case refused(Refusal)
    }

    static func check(_ command: AppPut) -> Checked<AppPut> {
        var faults = [fault("organisation", command.organisation), fault("app", command.app)]
        if let roots = command.testRoots, roots.count > 8 || !roots.allSatisfy(isRoot) {
            faults.append("testRoots must be up to 8 certificates: DER of at most 16 KiB in base64")
        }
        if let policy = command.linkMovePolicy, !LinkMovePolicy.all.contains(policy) {
            faults.append("linkMovePolicy must be move, keep or move_if_inactive")
        }
        if let keys = command.purchaseKeys, keys.count > 8 || !keys.allSatisfy(isPurchaseKey) {
            faults.append("purchaseKeys must be up to 8 RSA keys of at least 2048 bits: DER in base64")
        }
        if let team = command.teamID, !team.isGood { faults.append("teamID must be \(TeamID.expectation)") }
        if let number = command.appleID, number <= 0 { faults.append("appleID must be a number above 0") }
        if let digest = command.notificationTokenDigest, !isDigest(digest) {
            faults.append("notificationTokenDigest must be SHA-256 in lower-case hexadecimal")
        }
        if let seconds = command.oldNotificationTokenSeconds,
            !(0...longestOverlap).contains(seconds) || command.notificationTokenDigest == nil
        {
            faults.append(
                "oldNotificationTokenSeconds must be 0 to \(longestOverlap), and come with notificationTokenDigest")
        }
        if let environments = command.attestEnvironments, !environments.allSatisfy(AttestEnvironment.all.contains) {
            faults.append("attestEnvironments must be production, development or both")
        }
        if let limits = command.limits, !limits.all.allSatisfy(AppLimits.possible.contains) {
            faults.append("each of limits must be \(AppLimits.expectation)")
        }
        return verdict(command, faults)
    }

    static func check(_ command: KeyAdd) -> Checked<KeyAdd> {
        var faults = [fault("organisation", command.organisation), fault("id", command.id)]
        if !isDigest(command.digest) {
            faults.append("digest must be SHA-256 in lower-case hexadecimal")
        }
        if !KeyRecord.Scope.all.contains(command.scope) { faults.append("scope must be read, write or admin") }
        return verdict(command, faults)
    }

    static func check(_ command: KeyRevoke) -> Checked<KeyRevoke> {
        verdict(command, [fault("organisation", command.organisation), fault("id", command.id)])
    }

    private static func verdict<Body: Message>(_ command: Body, _ faults: [String?]) -> Checked<Body> {
        guard let fault = faults.compactMap({ $0 }).first else { return .good(command) }
        return .refused(Refusal("field_invalid", fault))
    }

    private static func fault(_ field: String, _ name: some RegistryName) -> String? {
        name.isGood ? nil : "\(field) must be \(type(of: name).expectation)"
    }

    /// 30 days, in seconds.
    private static let longestOverlap = 30 * 24 * 60 * 60

    private static func isDigest(_ text: String) -> Bool {
        let digits = text.utf8
        return digits.count == 64 && digits.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private static func isPurchaseKey(_ text: String) -> Bool {
        // A key of 16,384 bits; OpenSSL verifies with no longer one.
        guard text.utf8.count <= 4096, let der = Base64.standard.decode(text.utf8), let key = try? PublicKey(der: der)
        else { return false }
        return key.algorithm == .rsa && key.bitCount >= 2048
    }

    private static func isRoot(_ text: String) -> Bool {
        guard text.utf8.count <= 22_000, let der = Base64.standard.decode(text.utf8), der.count <= 16_384 else {
            return false
        }
        return (try? Certificate(der: der)) != nil
    }
}
