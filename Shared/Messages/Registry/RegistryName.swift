/// A name that the registry takes: it stands in keys such as `<organisation>/<user>`, in lines of logs and on screens.
public protocol RegistryName: TextIdentifier {
    /// How many bytes it may have.
    static var mostBytes: Int { get }
}

extension RegistryName {
    /// What a good one looks like; said when one is not.
    public static var expectation: String { "1 to \(mostBytes) letters, digits, dots, hyphens or underscores" }

    /// Whether the registry takes it.
    public var isGood: Bool {
        (1...Self.mostBytes).contains(rawValue.utf8.count)
            && rawValue.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension ExperimentID: RegistryName {
    /// 64 bytes.
    public static var mostBytes: Int { 64 }
}

extension VariantKey: RegistryName {
    /// 64 bytes.
    public static var mostBytes: Int { 64 }
}

extension PlacementID: RegistryName {
    /// 64 bytes.
    public static var mostBytes: Int { 64 }
}

extension OrganisationID: RegistryName {
    /// 64 bytes.
    public static var mostBytes: Int { 64 }
}

extension AppID: RegistryName {
    /// 255 bytes.
    public static var mostBytes: Int { 255 }
}

extension KeyID: RegistryName {
    /// 64 bytes.
    public static var mostBytes: Int { 64 }
}
