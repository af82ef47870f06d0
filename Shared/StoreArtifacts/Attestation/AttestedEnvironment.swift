/// Which of Apple's two attestation services has vouched for a key.
public enum AttestedEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Apps from the App Store, TestFlight and enterprises.
    case production
    /// Apps run from Xcode: never to be counted as a customer's.
    case development

    /// The authenticator's name in the authenticator data (AAGUID), 16 bytes; `nil` for any other.
    init?(aaguid: ArraySlice<UInt8>) {
        guard let environment = Self.allCases.first(where: { $0.aaguid.elementsEqual(aaguid) }) else { return nil }
        self = environment
    }

    private var aaguid: [UInt8] {
        switch self {
        case .production: Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
        case .development: Array("appattestdevelop".utf8)
        }
    }
}
