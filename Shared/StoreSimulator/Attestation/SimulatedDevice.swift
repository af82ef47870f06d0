public import Crypto
public import FoundationEssentials

/// A key in the secure enclave of a device, with which an app attests itself and signs its requests (App Attest).
public struct SimulatedDevice: Sendable {
    /// Which environment an app was built for.
    public enum Environment: String, Sendable {
        case development
        case production

        /// What a device writes as its model.
        public var identifier: [UInt8] {
            switch self {
            case .development: Array("appattestdevelop".utf8)
            case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
            }
        }
    }

    /// Team and bundle id, with a dot between them.
    public let appID: String
    /// Which environment the app was built for.
    public let environment: Environment
    /// The key; only its public half ever leaves a device.
    public let key: PrivateKey
    /// The public half, as an uncompressed point.
    public let publicKey: [UInt8]
    /// How many assertions it has made.
    public private(set) var counter: UInt32

    /// A device with a new key.
    public init(appID: String, environment: Environment = .production) throws {
        try self.init(appID: appID, environment: environment, key: try PrivateKey.generate())
    }

    /// A device that has a key already.
    ///
    /// - Parameters:
    ///   - key: P-256.
    ///   - counter: How many assertions it has made.
    public init(appID: String, environment: Environment = .production, key: PrivateKey, counter: UInt32 = 0) throws {
        self.appID = appID
        self.environment = environment
        self.key = key
        self.publicKey = try key.publicKey.x963 ?? []
        self.counter = counter
    }

    /// SHA-256 of the public key: by this name a key is known to its app.
    public var keyID: [UInt8] { Digest.sha256(publicKey) }

    /// Attests the key: once, before anything else.
    ///
    /// - Parameters:
    ///   - clientDataHash: SHA-256 of what the server asked for.
    ///   - authority: stands in for Apple.
    ///   - change: what is not to be as it should.
    public func attest(
        clientDataHash: [UInt8], by authority: TestAuthority, at date: Date,
        change: (inout AttestationDesign) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        var design = AttestationDesign(for: self, clientDataHash: clientDataHash, at: date)
        try change(&design)
        return try design.encoded(for: self, by: authority)
    }

    /// Signs a request of the app.
    ///
    /// - Parameters:
    ///   - clientDataHash: SHA-256 of the request.
    ///   - change: what is not to be as it should.
    public mutating func assert(
        clientDataHash: [UInt8], change: (inout AssertionDesign) throws -> Void = { _ in }
    ) throws -> [UInt8] {
        counter += 1
        var design = AssertionDesign(
            appID: appID, counter: counter, signedHash: clientDataHash, key: key)
        try change(&design)
        return try design.encoded()
    }
}
