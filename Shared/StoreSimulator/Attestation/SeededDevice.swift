internal import Crypto

/// A device whose key follows from a seed: the same seed, the same device.
public struct SeededDevice: Sendable {
    /// Team and bundle id, with a dot between them.
    public var appID: String
    /// Which environment the app was built for.
    public var environment = SimulatedDevice.Environment.production
    /// How many assertions it has made.
    public var counter: UInt32 = 0
    /// 32 bytes.
    var seed: [UInt8]

    /// The device itself.
    public func device() throws -> SimulatedDevice {
        // RFC 5915: a private key without its public half, which OpenSSL works out.
        let der = DERWriter.sequence(
            DERWriter.integer(1), DERWriter.octets(seed),
            DERWriter.tagged(0, DERWriter.identifier("1.2.840.10045.3.1.7")))
        let text = Base64.standard.encode(der)
        let key = try PrivateKey(pem: "-----BEGIN EC PRIVATE KEY-----\n\(text)\n-----END EC PRIVATE KEY-----\n")
        return try SimulatedDevice(appID: appID, environment: environment, key: key, counter: counter)
    }
}
