/// A developer's team at Apple, such as `A1B2C3D4E5`; App Attest calls an app `<team>.<bundle id>`.
public struct TeamID: TextIdentifier {
    /// The text.
    public let rawValue: String
    /// Takes the text as it is.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What a good one looks like; said when one is not.
    public static let expectation = "10 capital letters and digits"

    /// Whether the registry takes it.
    public var isGood: Bool {
        rawValue.utf8.count == 10
            && rawValue.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
