public import Crypto
internal import FoundationEssentials
internal import Synchronization

/// What an authority signs with beyond purchases. Each is made when it is first asked for: two of the keys are RSA,
/// and making one takes longer than everything else that most tests do.
final class AuthorityParts: Sendable {
    /// Which one, in the order in which they are stored.
    enum Name: CaseIterable {
        case receiptSigner
        case deviceAuthority
        case integrationAuthority
        case attestationReceiptSigner
        case purchaseKey
    }

    let design: TestAuthority.Design
    private let made: Mutex<[Name: Signer]>

    init(_ design: TestAuthority.Design, made: [Name: Signer] = [:]) {
        self.design = design
        self.made = Mutex(made)
    }

    /// The part, the same one at each call.
    func signer(_ name: Name, make: () throws -> Signer) throws -> Signer {
        // Locked while it is made: two makers would sign with two keys.
        try made.withLock { made in
            if let signer = made[name] { return signer }
            let signer = try make()
            made[name] = signer
            return signer
        }
    }
}

extension TestAuthority {
    /// Who signs receipts: RSA, below the same intermediate as purchases.
    public var receiptSigner: Signer {
        get throws {
            try parts.signer(.receiptSigner) {
                var builder = CertificateBuilder(
                    commonName: "\(parts.design.name) Receipt Signer",
                    validity: parts.design.leafValidity ?? parts.design.validity)
                builder.markers = parts.design.leafMarkers
                return try intermediateSigner.issue(builder, for: try PrivateKey.generate(.rsa2048))
            }
        }
    }

    /// Who vouches for the keys of devices in App Attest: P-384.
    public var deviceAuthority: Signer {
        get throws {
            try parts.signer(.deviceAuthority) { try authority("App Attestation CA", .p384, markers: []) }
        }
    }

    /// Who signs the receipts of App Attest.
    public var attestationReceiptSigner: Signer {
        get throws {
            let above = try integrationAuthority
            return try parts.signer(.attestationReceiptSigner) {
                var builder = CertificateBuilder(
                    commonName: "\(parts.design.name) Attestation Receipt Signer", validity: parts.design.validity)
                builder.markers = parts.design.attestationReceiptMarkers
                return try above.issue(builder, for: try PrivateKey.generate())
            }
        }
    }

    /// Signs purchases of Google Play and AppCoins: RSA. These know no certificates, so that its public key has to be
    /// set at the app; the one here is a wrapping.
    public var purchaseKey: PrivateKey {
        get throws { try purchaseSigner.key }
    }

    private var integrationAuthority: Signer {
        get throws {
            try parts.signer(.integrationAuthority) {
                try authority("Application Integration CA", .p256, markers: ["1.2.840.113635.100.6.2.3"])
            }
        }
    }

    private var purchaseSigner: Signer {
        get throws {
            try parts.signer(.purchaseKey) {
                let builder = CertificateBuilder(
                    commonName: "\(parts.design.name) Purchases", validity: parts.design.validity)
                return try Signer(selfSigned: builder, key: try PrivateKey.generate(.rsa2048))
            }
        }
    }

    /// All of them in the order of ``AuthorityParts/Name``, made if need be.
    func allParts() throws -> [Signer] {
        [
            try receiptSigner, try deviceAuthority, try integrationAuthority, try attestationReceiptSigner,
            try purchaseSigner,
        ]
    }

    private func authority(_ name: String, _ kind: PrivateKey.Kind, markers: [String]) throws -> Signer {
        var builder = CertificateBuilder(
            commonName: "\(parts.design.name) \(name)", validity: parts.design.validity)
        builder.isAuthority = true
        builder.pathLength = 0
        builder.markers = markers
        return try rootSigner.issue(builder, for: try PrivateKey.generate(kind))
    }
}
